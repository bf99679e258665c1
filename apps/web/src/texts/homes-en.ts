import { counted } from "./plural.ts";

/** The texts about where datasets and prompts live. */
export const homesTexts = {
	livesIn: "Lives in",
	library: "the library",
	move: "Move",
	moveTitle: (name: string) => `Move ${name}`,
	explain: "Who sees the project sees what lives in it. The library is for what belongs to no project.",
	destination: "Move to",
	choose: "Choose a project…",
	libraryChoice: "The library",
	nowhere:
		"You may read, but write in no project, and not in the library. Ask a manager of a project for the role editor.",
	wider: (from: string, to: string) => `Only some people see ${from}, and this is to go to ${to}.`,
	more: (count: number) =>
		count === 0
			? "At the moment nobody sees it there who does not see it here."
			: `${counted(count, "more person", "more people")} will see it, with everything in it.`,
	allow: "Let them see it",
	back: "Back",
} as const;

import { counted } from "./plural.ts";

/** Texts of choosing several projects, and changing their access together. */
export const projectAccessTexts = {
	select: (name: string) => `Select ${name}`,
	selectAll: "Select all projects whose access you may set",
	selected: (count: number) => `${counted(count, "project", "projects")} selected`,
	clear: "Clear selection",
	action: "Access…",
	bar: "Selected projects",
	title: (count: number) => `Access of ${counted(count, "project", "projects")}`,
	access: "Who sees them",
	accessChoice: {
		keep: "leave as it is",
		restricted: "restrict to people and teams with a role",
		open: "open to everybody",
	},
	give: "Give a role to",
	take: "Take the role from",
	takeHint: "A role that a rule gives stays. May be empty.",
	next: "Show who loses what…",
	back: "Back",
	effects: "What changes",
	apply: (count: number) => `Change ${counted(count, "project", "projects")}`,
	results: "What became of it",
	outcome: { changed: "changed", unchanged: "was so already", refused: "not changed" },
};

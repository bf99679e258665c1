import { choiceParam, present, textParam } from "../../lib/search-params.ts";

export const PROMPT_TABS = ["prompt", "compare", "code", "traces"] as const;
export type PromptTab = (typeof PROMPT_TABS)[number];

/** The state of the list of prompts in the address. */
export interface PromptsSearch {
	/** Part of the name. */
	q?: string;
	tag?: string;
	/** Set while the form for a new prompt is open. */
	create?: "1";
}

export function parsePromptsSearch(search: Record<string, unknown>): PromptsSearch {
	return present({
		q: textParam(search["q"])?.slice(0, 200),
		tag: textParam(search["tag"])?.slice(0, 200),
		create: choiceParam(search["create"], ["1"]),
	});
}

/** The state of a prompt's page in the address. */
export interface PromptSearch {
	/** Id of the shown version; absent: the newest. */
	version?: string;
	/** Id of the version it is compared with; absent: the previous one. */
	against?: string;
	tab?: PromptTab;
	/** Set while the form for a new version is open. */
	edit?: "1";
}

export function parsePromptSearch(search: Record<string, unknown>): PromptSearch {
	return present({
		version: textParam(search["version"]),
		against: textParam(search["against"]),
		tab: choiceParam(search["tab"], PROMPT_TABS),
		edit: choiceParam(search["edit"], ["1"]),
	});
}

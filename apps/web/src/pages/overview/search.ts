import { choiceParam, present } from "../../lib/search-params.ts";

export interface OverviewSearch {
	by?: "model" | "kind" | "name";
}

export function parseOverviewSearch(search: Record<string, unknown>): OverviewSearch {
	return present({ by: choiceParam(search["by"], ["model", "kind", "name"]) });
}

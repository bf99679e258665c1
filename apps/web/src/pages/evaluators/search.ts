import { choiceParam, present, textParam } from "../../lib/search-params.ts";

export const EVALUATOR_TABS = ["version", "try", "versions", "usage"] as const;
export type EvaluatorTab = (typeof EVALUATOR_TABS)[number];

/** The state of the list of evaluators in the address. */
export interface EvaluatorsSearch {
	/** Part of the name. */
	q?: string;
	/** Set while those that are archived are listed. */
	archived?: "1";
	/** Set while the form for a new one is open. */
	create?: "1";
	/** Key of the template that the form begins with. */
	template?: string;
}

export function parseEvaluatorsSearch(search: Record<string, unknown>): EvaluatorsSearch {
	return present({
		q: textParam(search["q"])?.slice(0, 200),
		archived: choiceParam(search["archived"], ["1"]),
		create: choiceParam(search["create"], ["1"]),
		template: textParam(search["template"])?.slice(0, 200),
	});
}

/** The state of an evaluator's page in the address. */
export interface EvaluatorSearch {
	tab?: EvaluatorTab;
	/** Id of the shown version; absent: the newest. */
	version?: string;
	/** Set while the form for a new version is open. */
	edit?: "1";
	/** Set right after a version was saved. */
	just_saved?: "1";
}

export function parseEvaluatorSearch(search: Record<string, unknown>): EvaluatorSearch {
	return present({
		tab: choiceParam(search["tab"], EVALUATOR_TABS),
		version: textParam(search["version"]),
		edit: choiceParam(search["edit"], ["1"]),
		just_saved: choiceParam(search["just_saved"], ["1"]),
	});
}

import type { Dashboard } from "@spanward/client";
import type { FilterTarget } from "@spanward/filter-language";
import type { DashboardSearch } from "./search.ts";

type Narrowing = Pick<Dashboard, "filter" | "controls">;

/** Whether the filter language takes a text for words: what tells it is loaded where something is narrowed. */
export type IsWords = (of: FilterTarget, text: string) => boolean;

/** Lists whose filters a question of these rows takes; others take those of spans. */
const TARGETS: Readonly<Record<string, FilterTarget>> = { traces: "trace", sessions: "session" };

interface Own {
	readonly filter?: string | undefined;
	/** Words. */
	readonly q?: string | undefined;
}

/**
 * The filter of a widget with what narrows all of them.
 * @param of its rows
 */
export function narrowed(
	of: string,
	own: Own,
	dashboard: Narrowing,
	search: DashboardSearch,
	isWords: IsWords,
): { filter: string | undefined; q: string | undefined } {
	// Exports and what was spent have no filter.
	if (of === "ingest" || of === "spend") return { filter: undefined, q: undefined };
	const filters = [...new Set([...filtersOf(dashboard, search), own.filter].filter(isText))];
	const target = TARGETS[of] ?? "span";
	// The server tells words from an expression by itself, where there is one text.
	const isOne = filters.length < 2;
	const expressions = isOne ? filters : filters.filter((each) => !isWords(target, each));
	const words = [...filters.filter((each) => !expressions.includes(each)), search.q, own.q].filter(isText);
	return {
		filter: expressions.length > 1 ? expressions.map((each) => `(${each})`).join(" and ") : expressions[0],
		q: words.length === 0 ? undefined : words.join(" "),
	};
}

/** Whether a filter narrows every widget, and has to be joined with those that they have. */
export function isNarrowed(dashboard: Narrowing, search: DashboardSearch): boolean {
	return filtersOf(dashboard, search).some(isText);
}

/** What narrows every widget: the filter of the address, else the saved one, and what was chosen in the menus. */
function filtersOf({ filter, controls }: Narrowing, search: DashboardSearch): (string | undefined)[] {
	const isOwn = search.filter !== undefined || search.q !== undefined;
	return [isOwn ? search.filter : (filter ?? undefined), ...controls.map((field) => chosenOf(search, field))];
}

function isText(text: string | undefined): text is string {
	return text !== undefined && text.trim() !== "";
}

/** The filter that was chosen in the menu of a field. */
export function chosenOf({ control = [] }: DashboardSearch, field: string): string | undefined {
	return control.find((each) => each.startsWith(`${field}=`))?.slice(field.length + 1);
}

/** @param filter undefined for all values */
export function withChosen(
	{ control = [], ...rest }: DashboardSearch,
	field: string,
	filter: string | undefined,
): DashboardSearch {
	const others = control.filter((each) => !each.startsWith(`${field}=`));
	const all = filter === undefined ? others : [...others, `${field}=${filter}`];
	return all.length === 0 ? rest : { ...rest, control: all };
}

import type { ViewState } from "@spanward/client";
import { isNamedRange, USERS_RANGE } from "../lib/range-names.ts";
import { present } from "../lib/search-params.ts";
import { type ListAddress, SAME } from "./list-address.ts";

/** The lists that have saved views. */
export type ViewPage = "traces" | "spans" | "sessions" | "users" | "errors";

/** What a view saves of an address. */
export function toState(address: ListAddress): ViewState {
	const { error, error_kind: kind, cols, from, to } = address;
	const same = Object.entries(SAME).map(([name, part]) => [part, address[name]]);
	const isRange = typeof from === "string" && (isNamedRange(from) || /^(?:all|\d{1,5}[mhd])$/.test(from));
	return present({
		...(Object.fromEntries(same) as ViewState),
		...(error === undefined ? {} : { error: error === "1" }),
		...(typeof kind === "string" ? { error_kind: [kind] } : {}),
		...(typeof cols === "string" ? { columns: cols.split(",") } : {}),
		...(typeof from === "string" ? (isRange ? { range: from } : { start_time: toIso(from) }) : {}),
		...(typeof to === "string" ? { end_time: toIso(to) } : {}),
	}) as ViewState;
}

function toIso(time: string): string {
	return new Date(time).toISOString();
}

/** The range of a list whose address has none. */
export function usualRange(page: ViewPage): string {
	return USUAL[page].range ?? "all";
}

/** The parameters that say what a view saved. There is always a range, so that the address of a view is not bare. */
export function toParameters(page: ViewPage, state: ViewState): ListAddress {
	const same = Object.entries(SAME).map(([name, part]) => [name, state[part]]);
	const { error, error_kind: kinds, columns, range, start_time: start, end_time: end } = state;
	return present({
		...Object.fromEntries(same),
		...(error === undefined ? {} : { error: error ? "1" : "0" }),
		// The list of errors has one kind, or all.
		...(kinds?.length === 1 ? { error_kind: kinds[0] } : {}),
		...(columns === undefined ? {} : { cols: columns.join(",") }),
		from: range ?? start ?? usualRange(page),
		...(end === undefined ? {} : { to: end }),
	});
}

/** Whether an address shows just what a view saved. */
export function isAsSaved(page: ViewPage, address: ListAddress, state: ViewState): boolean {
	return comparable(page, toState(address)) === comparable(page, toState(toParameters(page, state)));
}

/** What an address that does not say it shows as well. */
const OF_ROWS: ViewState = { range: "all", order: "desc", sort: "start_time" };
const USUAL: Readonly<Record<ViewPage, ViewState>> = {
	traces: OF_ROWS,
	spans: OF_ROWS,
	sessions: OF_ROWS,
	users: { range: USERS_RANGE, order: "desc", sort: "cost_total" },
	errors: { range: "all", order: "desc", sort: "last_seen", state: "open" },
};

/** The same text for states that show the same. */
function comparable(page: ViewPage, state: ViewState): string {
	const parts = Object.entries(state)
		.filter(([part, value]) => value !== undefined && USUAL[page][part as keyof ViewState] !== value)
		.map(([part, value]) => [part, part !== "columns" && Array.isArray(value) ? value.toSorted() : value] as const);
	return JSON.stringify(parts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

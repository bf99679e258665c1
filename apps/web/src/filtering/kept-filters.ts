import { useSearch } from "@tanstack/react-router";
import { parseTimeRange } from "../lib/time-range.ts";
import { type FILTERS, without } from "./filter-values.ts";
import { parseRowFilters, type RowFilters } from "./row-filters.ts";

/** The pages of a project that show what its filters leave. */
export type FilteredPage = "traces" | "sessions" | "overview";

type Filter = (typeof FILTERS)[number];

/** Filters of traces and spans that sessions do not have. */
const NOT_OF_SESSIONS = ["min", "max", "name", "session", "model", "kind"] as const satisfies readonly Filter[];
type DroppedFilter = "latency" | "name" | "session" | "model" | "kind";

declare module "@tanstack/react-router" {
	interface HistoryState {
		/** Filters of the page before that this one does not have. */
		dropped?: readonly DroppedFilter[];
	}
}

/** What links between the pages of a project take along. */
export function useKeptFilters() {
	const current = useSearch({ strict: false });
	return (page: FilteredPage) => ({
		search: (before: Record<string, unknown>) => parseKeptFilters(page, before),
		state: { dropped: droppedFilters(page, current) },
	});
}

/** The time range, and the filters that the page has as well. */
function parseKeptFilters(page: FilteredPage, search: Record<string, unknown>) {
	const filters = parseRowFilters(search);
	const kept = page === "sessions" ? without(filters, ["view", ...NOT_OF_SESSIONS]) : filters;
	return { ...parseTimeRange(search), ...kept };
}

/** The filters that are on, and that the page does not have. */
function droppedFilters(page: FilteredPage, search: RowFilters): readonly DroppedFilter[] {
	if (page !== "sessions") return [];
	const dropped = NOT_OF_SESSIONS.filter((field) => search[field] !== undefined);
	return [...new Set(dropped.map((field) => (field === "min" || field === "max" ? "latency" : field)))];
}

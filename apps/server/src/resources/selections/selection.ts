import { UserError } from "#base/errors.ts";
import { parseFilter } from "#http/filter-param.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { Caller, Keyset, TraceReader } from "#storage/traces/trace-store.ts";
import { findTargets } from "../annotations/find-targets.ts";
import { toSessionFilter } from "../sessions/session-filter.ts";
import { toSpanFilter } from "../spans/span-filter.ts";
import { toTraceFilter } from "../traces/trace-filter.ts";
import { assertFiltersOf, MAX_IDS, type SelectionFilters } from "./schemas.ts";

/** What somebody selected in a list of a project. */
export interface Selection {
	readonly projectId: number;
	readonly kind: EntityKind;
	/** Row numbers; or, if absent, all that match. */
	readonly rowIds?: readonly number[];
	readonly filters?: SelectionFilters;
	/** Leaves out what has a higher row number, as it arrived later. */
	readonly lastRow?: number;
}

/** A selected span, trace or session. */
export interface SelectedItem {
	readonly rowId: number;
	readonly traceRowId: number | null;
	/** Its own for a span; the root span for a trace. */
	readonly spanRowId: number | null;
	readonly startMicros: number;
	readonly traceCount: number;
	readonly spanCount: number;
}

export interface SelectedPage {
	readonly items: readonly SelectedItem[];
	/** Where the next page begins; absent after the last one. */
	readonly next?: Keyset;
}

interface PagePart {
	/** Strictly after this position. */
	readonly after?: Keyset | undefined;
	readonly limit: number;
	readonly caller: Caller;
}

/**
 * The selection that a request names.
 * @throws UserError 400 or 422 for filters that cannot be read, 404 when none of the ids is in the project
 */
export async function toSelection(
	traces: TraceReader,
	projectId: number,
	kind: EntityKind,
	{ ids, filters }: { readonly ids?: readonly string[] | undefined; readonly filters: SelectionFilters },
): Promise<Selection> {
	if (ids === undefined) {
		assertFiltersOf(kind, filters);
		parseFilter(kind, filters.filter);
		if (kind === "span") toSpanFilter(filters);
		return { projectId, kind, filters };
	}
	if (ids.length > MAX_IDS) throw new UserError(422, "too_many_ids", `A selection has at most ${MAX_IDS} ids.`);
	if (Object.values(filters).some((value) => value !== undefined)) {
		throw new UserError(422, "ids_and_filter", "A selection has ids or a filter, not both.");
	}
	const found = await findTargets(traces, kind, ids, projectId);
	if (found.length === 0) {
		throw new UserError(404, "nothing_selected", `None of the selected ${kind}s is in this project any more.`);
	}
	return { projectId, kind, rowIds: found.map(({ rowId }) => rowId) };
}

/**
 * The next selected items that exist and match now: spans and sessions by arrival, traces by their start, the newest
 * first, as a start only ever becomes earlier, so that no trace moves to where the pages have been already.
 */
export async function listSelected(
	traces: TraceReader,
	{ projectId, kind, rowIds, filters = {}, lastRow = Number.MAX_SAFE_INTEGER }: Selection,
	{ after, limit, caller }: PagePart,
): Promise<SelectedPage> {
	const parsed = parseFilter(kind, filters.filter);
	const shared = { projectId, caller, limit, ...(rowIds === undefined ? {} : { rowIds }) };
	if (kind === "trace") {
		const filter = await toTraceFilter(traces, projectId, filters, parsed);
		if (filter === undefined) return { items: [] };
		const page = await traces.listTraces({
			...filter,
			...shared,
			withTexts: false,
			sort: "start_time",
			order: "desc",
			...(after === undefined ? {} : { after }),
		});
		const items = page.items.map((trace) => ({
			rowId: trace.id,
			traceRowId: trace.id,
			spanRowId: trace.rootSpanRowId,
			startMicros: trace.start.micros,
			traceCount: 1,
			spanCount: trace.spanCount,
		}));
		return upTo(lastRow, items, page.next);
	}
	const from = after === undefined ? {} : { from: { id: after.id + 1, value: after.id + 1 } };
	const byArrival = { ...shared, sort: "id", order: "asc", ...from } as const;
	if (kind === "span") {
		const page = await traces.listSpanPlaces({ ...toSpanFilter(filters).filter, ...byArrival });
		const items = page.items.map((span) => ({
			rowId: span.id,
			traceRowId: span.traceRowId,
			spanRowId: span.id,
			startMicros: span.startMicros,
			traceCount: 0,
			spanCount: 1,
		}));
		return upTo(lastRow, items, before(page.next));
	}
	const page = await traces.listSessions({ ...toSessionFilter(filters, parsed), ...byArrival });
	const items = page.items.map((session) => ({
		rowId: session.id,
		traceRowId: null,
		spanRowId: null,
		startMicros: session.start.micros,
		traceCount: session.traceCount,
		spanCount: session.spanCount,
	}));
	return upTo(lastRow, items, before(page.next));
}

/** The position of an item, after which the next page begins. */
export function positionOf({ rowId, startMicros }: SelectedItem): Keyset {
	return { id: rowId, value: startMicros };
}

/** Lists by arrival name the first item of the next page. */
function before(next: Keyset | undefined): Keyset | undefined {
	return next && { id: next.id - 1, value: next.id - 1 };
}

function upTo(lastRow: number, items: readonly SelectedItem[], next: Keyset | undefined): SelectedPage {
	const kept = items.filter(({ rowId }) => rowId <= lastRow);
	return { items: kept, ...(next === undefined ? {} : { next }) };
}

import { parseFilter } from "#http/filter-param.ts";
import type { EntityKind } from "#storage/traces/entity.ts";
import type { Caller, Keyset, TraceReader } from "#storage/traces/trace-store.ts";

/** Items that are read at a time, and row numbers of traces. */
const PAGE = 1_000;

/** What a rule is about. */
export interface Matching {
	readonly projectId: number;
	readonly target: EntityKind;
	readonly filter: string;
	readonly caller: Caller;
}

interface Matched {
	readonly rowId: number;
	/** By which it is sampled: the id of the trace, for a trace and its spans; of the session. */
	readonly id: string;
}

/**
 * What matches a filter and has a row number above `after`, up to `upTo`: a part of it.
 * @returns and the row number up to which that is all
 * @throws UserError 400 for a filter that cannot be read; ConditionTooSlow, StorageUnavailable
 */
export async function listArrived(
	traces: TraceReader,
	matching: Matching,
	{ after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<{ readonly items: readonly Matched[]; readonly upTo: number }> {
	if (matching.target === "trace") {
		const last = Math.min(after + PAGE, upTo);
		const rowIds = Array.from({ length: last - after }, (_, index) => after + 1 + index);
		return { items: await listTracesOf(traces, matching, rowIds), upTo: last };
	}
	const from = { id: after + 1, value: after + 1 };
	const { items, next } = await listPage(traces, matching, { sort: "id", order: "asc", from });
	const end = next === undefined ? upTo : Math.min(next.id - 1, upTo);
	return { items: items.filter(({ rowId }) => rowId <= end), upTo: end };
}

/** Those of these traces that match. */
async function listTracesOf(
	traces: TraceReader,
	{ projectId, caller, filter }: Matching,
	rowIds: readonly number[],
): Promise<readonly Matched[]> {
	const found: Matched[] = [];
	let after: Keyset | undefined;
	do {
		const page = await traces.listTraces({
			...{ projectId, caller, rowIds, ...selecting("trace", filter) },
			...{ withTexts: false, sort: "start_time", order: "desc", limit: PAGE },
			...(after === undefined ? {} : { after }),
		});
		for (const { id, traceId } of page.items) found.push({ rowId: id, id: traceId });
		after = page.next;
	} while (after !== undefined);
	return found;
}

/**
 * What matches a filter and starts at or after a time, in parts.
 * @param startMicros microseconds since 1970
 */
export async function* listSince(
	traces: TraceReader,
	matching: Matching,
	startMicros: number,
): AsyncGenerator<readonly Matched[]> {
	let from: Keyset | undefined;
	do {
		const page = await listPage(traces, matching, {
			...{ sort: "start_time", order: "desc", startMicros },
			...(from === undefined ? {} : { from }),
		});
		yield page.items;
		from = page.next;
	} while (from !== undefined);
}

interface Part {
	readonly sort: "id" | "start_time";
	readonly order: "asc" | "desc";
	readonly startMicros?: number;
	/** Of traces the position after which, of others the one from which it goes on. */
	readonly from?: Keyset;
}

async function listPage(
	traces: TraceReader,
	{ projectId, target, filter, caller }: Matching,
	{ from, sort, ...part }: Part,
): Promise<{ readonly items: readonly Matched[]; readonly next?: Keyset }> {
	const query = { projectId, caller, limit: PAGE, ...part, ...selecting(target, filter) };
	const fromThere = from === undefined ? {} : { from };
	if (target === "span") {
		const { items, ...page } = await traces.listSpans({ ...query, ...fromThere, sort });
		return { ...page, items: items.map(({ id, traceId }) => ({ rowId: id, id: traceId })) };
	}
	if (target === "session") {
		const { items, ...page } = await traces.listSessions({ ...query, ...fromThere, sort });
		return { ...page, items: items.map(({ id, sessionId }) => ({ rowId: id, id: sessionId })) };
	}
	const after = from === undefined ? {} : { after: from };
	const { items, ...page } = await traces.listTraces({ ...query, ...after, withTexts: false, sort: "start_time" });
	return { ...page, items: items.map(({ id, traceId }) => ({ rowId: id, id: traceId })) };
}

function selecting(target: EntityKind, filter: string) {
	const { condition, text } = parseFilter(target, filter);
	return { ...(condition === undefined ? {} : { condition }), ...(text === undefined ? {} : { text }) };
}

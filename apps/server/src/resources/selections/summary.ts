import type { Caller, Keyset, TraceReader } from "#storage/traces/trace-store.ts";
import { listSelected, type Selection } from "./selection.ts";

/** Items counted at a time. */
const CHUNK = 2_000;
/** An answer comes at the latest so long after the request, plus one page. */
const MAX_MS = 8_000;

/** How much a selection has, and what would be deleted with it. */
export interface Summary {
	readonly items: number;
	readonly traces: number;
	readonly spans: number;
	readonly annotations: number;
	readonly logRecords: number;
	/** Whether everything was counted. */
	readonly isComplete: boolean;
}

/** Counts a selection page by page; for a very large one only a part. */
export async function summarize(traces: TraceReader, selection: Selection, caller: Caller): Promise<Summary> {
	const end = performance.now() + MAX_MS;
	const sum = { items: 0, traces: 0, spans: 0, annotations: 0, logRecords: 0 };
	let after: Keyset | undefined;
	do {
		const asked = { after, limit: CHUNK, caller: { ...caller, isPatient: after !== undefined } };
		const { items, next } = await listSelected(traces, selection, asked);
		const { annotations, logRecords } = await traces.countDependents(
			selection.kind,
			items.map(({ rowId }) => rowId),
		);
		sum.items += items.length;
		sum.annotations += annotations;
		sum.logRecords += logRecords;
		for (const item of items) {
			sum.traces += item.traceCount;
			sum.spans += item.spanCount;
		}
		after = next;
		if (after !== undefined && performance.now() > end) return { ...sum, isComplete: false };
	} while (after !== undefined && caller.gone?.aborted !== true);
	return { ...sum, isComplete: true };
}

import { understandSpan } from "#storage/traces/decode-span.ts";
import type {
	Caller,
	Keyset,
	Page,
	SpanFilter,
	SpanSummary,
	StoredSpan,
	TraceReader,
} from "#storage/traces/trace-store.ts";
import type { Row, Table } from "./span-table.ts";
import { toSpan } from "./span-views.ts";

/** Spans read at a time, which a table holds in memory. */
const CHUNK = 200;
const CHUNK_BYTES = 4 * 1_024 * 1_024;

export interface RowChunk {
	readonly rows: readonly Row[];
	/** Stored bytes of their spans. */
	readonly bytes: number;
	/** Where the chunk begins. */
	readonly from: Keyset | undefined;
}

export interface TableSpans {
	/** Undefined when the project does not exist, so that there are no spans. */
	readonly projectId: number | undefined;
	readonly filter: SpanFilter;
	readonly caller: Caller;
	/** The most spans; the newest are taken. */
	readonly limit: number;
	/** Only spans without a parent id, and those whose parent was never stored. */
	readonly rootsAndOrphans: boolean;
	/** Called between chunks; rejects when the caller has lost access. */
	readonly mayContinue: () => Promise<unknown>;
	/** Leaves out spans before this one. */
	readonly from?: Keyset | undefined;
}

/** The rows of a table, newest spans first; reads each chunk only when the previous one was taken. */
export async function* readRows(traces: TraceReader, table: Table, spans: TableSpans): AsyncGenerator<RowChunk> {
	for await (const items of readSpans(traces, spans)) {
		const summaries = items.map(({ summary }) => summary);
		const cumulative = table.needsCumulative ? await traces.findCumulative(summaries) : undefined;
		const rows: Row[] = [];
		let bytes = 0;
		for (const item of items) {
			const wire = toSpan(understandSpan(item), cumulative?.get(item.summary.id));
			for (const row of table.toRows({ wire, stored: item.summary })) rows.push(row);
			bytes += item.content.span.length;
		}
		const [first] = summaries;
		yield { rows, bytes, from: first && { value: first.start.micros, id: first.id } };
	}
}

async function* readSpans(
	traces: TraceReader,
	{ projectId, filter, caller, limit, rootsAndOrphans, mayContinue, from: start }: TableSpans,
): AsyncGenerator<readonly StoredSpan[]> {
	if (projectId === undefined) return;
	let left = limit;
	let from = start;
	do {
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...filter,
			caller: { ...caller, isPatient: from !== undefined },
			projectId,
			sort: "start_time",
			order: "desc",
			limit: rootsAndOrphans ? CHUNK : Math.min(CHUNK, left),
			maxContentBytes: CHUNK_BYTES,
			...(from === undefined ? {} : { from }),
		});
		const wanted = rootsAndOrphans ? await keepRoots(traces, projectId, page.items) : page.items;
		const items = wanted.slice(0, left);
		yield items;
		left -= items.length;
		from = page.next;
		if (from !== undefined) await mayContinue();
	} while (from !== undefined && left > 0);
}

async function keepRoots(traces: TraceReader, projectId: number, spans: readonly StoredSpan[]): Promise<StoredSpan[]> {
	const parents = spans.flatMap(({ summary: { traceId, parentSpanId } }) =>
		parentSpanId === null ? [] : [{ traceId, spanId: parentSpanId }],
	);
	const stored = new Set(
		(await traces.findExistingSpans(projectId, parents)).map(({ traceId, spanId }) => `${traceId}:${spanId}`),
	);
	const isRoot = ({ traceId, parentSpanId }: SpanSummary) =>
		parentSpanId === null || !stored.has(`${traceId}:${parentSpanId}`);
	return spans.filter(({ summary }) => isRoot(summary));
}

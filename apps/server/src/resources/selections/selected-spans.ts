import type { Caller, Keyset, Page, StoredSpan, TraceReader } from "#storage/traces/trace-store.ts";
import { listSelected, type Selection } from "./selection.ts";

/** Spans read at a time, which a download holds in memory. */
const CHUNK = 200;
const CHUNK_BYTES = 4 * 1_024 * 1_024;
/** Traces or sessions read at a time. */
const OWNERS = 50;

/**
 * The spans of a selection with their content, all spans of selected traces and sessions, a chunk at a time.
 * @param mayContinue called before each chunk but the first; rejects when the caller has lost access
 */
export async function* readSelectedSpans(
	traces: TraceReader,
	selection: Selection,
	caller: Caller,
	mayContinue: () => Promise<unknown>,
): AsyncGenerator<readonly StoredSpan[]> {
	let isFirst = true;
	for await (const spans of chunksOfSpans(traces, selection, caller)) {
		if (!isFirst) await mayContinue();
		isFirst = false;
		yield spans;
	}
}

async function* chunksOfSpans(
	traces: TraceReader,
	selection: Selection,
	caller: Caller,
): AsyncGenerator<readonly StoredSpan[]> {
	const { projectId, kind } = selection;
	let after: Keyset | undefined;
	do {
		const asked = { after, limit: kind === "span" ? CHUNK : OWNERS, caller: patient(caller, after) };
		const page = await listSelected(traces, selection, asked);
		const rowIds = page.items.map(({ rowId }) => rowId);
		if (rowIds.length === 0) yield [];
		else if (kind === "span") yield* spansWhere(traces, { projectId, rowIds });
		else if (kind === "trace") yield* spansOfTraces(traces, projectId, rowIds);
		else for (const sessionRowId of rowIds) yield* spansOfSession(traces, projectId, sessionRowId);
		after = page.next;
	} while (after !== undefined);
}

async function* spansOfSession(
	traces: TraceReader,
	projectId: number,
	sessionRowId: number,
): AsyncGenerator<readonly StoredSpan[]> {
	let after: Keyset | undefined;
	do {
		const page = await traces.listTraces({
			projectId,
			sessionRowIds: [sessionRowId],
			withTexts: false,
			sort: "start_time",
			order: "asc",
			limit: OWNERS,
			...(after === undefined ? {} : { after }),
		});
		yield* spansOfTraces(
			traces,
			projectId,
			page.items.map(({ id }) => id),
		);
		after = page.next;
	} while (after !== undefined);
}

async function* spansOfTraces(
	traces: TraceReader,
	projectId: number,
	traceRowIds: readonly number[],
): AsyncGenerator<readonly StoredSpan[]> {
	for (const traceRowId of traceRowIds) {
		let after: Keyset | undefined;
		do {
			const page = await traces.listTraceSpans(traceRowId, { limit: CHUNK, ...(after === undefined ? {} : { after }) });
			const rowIds = page.items.map(({ id }) => id);
			if (rowIds.length > 0) yield* spansWhere(traces, { projectId, rowIds });
			after = page.next;
		} while (after !== undefined);
	}
}

async function* spansWhere(
	traces: TraceReader,
	where: { readonly projectId: number; readonly rowIds: readonly number[] },
): AsyncGenerator<readonly StoredSpan[]> {
	let from: Keyset | undefined;
	do {
		const page: Page<StoredSpan> = await traces.listStoredSpans({
			...where,
			sort: "id",
			order: "asc",
			limit: CHUNK,
			maxContentBytes: CHUNK_BYTES,
			...(from === undefined ? {} : { from }),
		});
		yield page.items;
		from = page.next;
	} while (from !== undefined);
}

function patient(caller: Caller, after: Keyset | undefined): Caller {
	return { ...caller, isPatient: after !== undefined };
}

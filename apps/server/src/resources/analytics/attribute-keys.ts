import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { z } from "zod";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsRows } from "#storage/traces/analytics/analytics-query.ts";
import { TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type {
	Caller,
	Keyset,
	SpanQuery,
	StoredSpan,
	TraceReader,
	TraceWithoutTexts,
} from "#storage/traces/trace-store.ts";
import { flattenAttributes } from "../spans/flat-attributes.ts";
import { toAttributes } from "../spans/span-views.ts";
import type { AttributeKey } from "./facet-schemas.ts";
import { KeyCounts } from "./key-counts.ts";

/** Rows that are looked at. */
const NEWEST = 2_000;
const AT_ONCE = 200;
/** Of content, read at once, and of all rows together. */
const PAGE_BYTES = 1_048_576;
const MAX_BYTES = 16 * PAGE_BYTES;
/** Bytes of content decoded between other work of the process. */
const TURN_BYTES = 65_536;
const METADATA = "metadata.";

export interface AskedKeys {
	readonly of: AnalyticsRows;
	readonly projectId: number;
	readonly prefix: string | undefined;
	readonly caller: Caller;
}

type Traces = Pick<TraceReader, "listStoredSpans" | "listTraces" | "listSessions" | "listSessionTraces">;

/** A span, or the root span of a trace or session, with the number of the row that it is looked at for. */
interface Looked {
	readonly rowId: number;
	readonly stored: StoredSpan;
}

/** The keys of the newest rows, which are fewer where their content is large; `share` is of those that were looked at. */
export async function sampleAttributeKeys(
	db: Kysely<Tables>,
	traces: Traces,
	asked: AskedKeys,
): Promise<{ data: z.output<typeof AttributeKey>[]; sampled: number }> {
	const counts = new KeyCounts(asked.prefix);
	const rowIds: number[] = [];
	let [bytes, ofTurn] = [0, 0];
	for await (const { rowId, stored } of newestRows(traces, asked)) {
		rowIds.push(rowId);
		countKeys(counts, stored);
		const { length } = stored.content.span;
		bytes += length;
		ofTurn += length;
		if (bytes >= MAX_BYTES) break;
		if (ofTurn < TURN_BYTES) continue;
		ofTurn = 0;
		await nextTurn();
	}
	for (const { name, rows, labels, scores } of await annotationsOf(db, asked.of, rowIds)) {
		const types = [...(labels > 0 ? (["string"] as const) : []), ...(scores > 0 ? (["number"] as const) : [])];
		counts.add("annotations", name, types, rows);
	}
	return { data: counts.top(rowIds.length), sampled: rowIds.length };
}

function countKeys(counts: KeyCounts, stored: StoredSpan): void {
	const understood = understandSpan(stored);
	for (const [key, value] of Object.entries(toAttributes(understood))) {
		if (key.startsWith(METADATA)) counts.addValue("metadata", key.slice(METADATA.length), value);
		else counts.addValue("attributes", key, value);
	}
	for (const [key, value] of Object.entries(flattenAttributes(understood.resource.attributes)))
		counts.addValue("resource", key, value);
}

async function* newestRows(traces: Traces, asked: AskedKeys): AsyncGenerator<Looked> {
	if (asked.of === "spans") {
		for await (const stored of spansOf(traces, asked, { sort: "start_time", limit: NEWEST }))
			yield { rowId: stored.summary.id, stored };
		return;
	}
	const rowOf = asked.of === "traces" ? await newestTraces(traces, asked) : await newestSessions(traces, asked);
	const roots = [...rowOf.keys()];
	for (let at = 0; at < roots.length; at += AT_ONCE) {
		const rowIds = roots.slice(at, at + AT_ONCE);
		for await (const stored of spansOf(traces, asked, { sort: "id", limit: rowIds.length, rowIds })) {
			const rowId = rowOf.get(stored.summary.id);
			if (rowId !== undefined) yield { rowId, stored };
		}
	}
}

/** Spans with their content, the newest first, a page at a time. */
async function* spansOf(
	traces: Traces,
	{ projectId, caller }: AskedKeys,
	{ limit, ...query }: Pick<SpanQuery, "sort" | "limit" | "rowIds">,
): AsyncGenerator<StoredSpan> {
	let from: Keyset | undefined;
	for (let left = limit; left > 0; ) {
		const page = await traces.listStoredSpans({
			...{ ...query, projectId, caller, order: "desc", limit: Math.min(left, AT_ONCE), maxContentBytes: PAGE_BYTES },
			...(from === undefined ? {} : { from }),
		});
		yield* page.items;
		left -= page.items.length;
		from = page.next;
		if (from === undefined) return;
	}
}

const NEWEST_FIRST = { sort: "start_time", order: "desc", limit: NEWEST } as const;

/** Numbers of the newest traces by those of their root spans. */
async function newestTraces(traces: Traces, { projectId, caller }: AskedKeys): Promise<Map<number, number>> {
	const { items } = await traces.listTraces({ ...NEWEST_FIRST, projectId, caller, withTexts: false });
	return new Map(items.map(({ rootSpanRowId, id }) => [rootSpanRowId, id]));
}

/** Numbers of the newest sessions by those of the root spans of their first traces. */
async function newestSessions(traces: Traces, { projectId, caller }: AskedKeys): Promise<Map<number, number>> {
	const { items } = await traces.listSessions({ ...NEWEST_FIRST, projectId, caller });
	const first = new Map<number, TraceWithoutTexts>();
	for (const trace of await traces.listSessionTraces(items.map(({ id }) => id)))
		if (trace.sessionRowId !== null && !first.has(trace.sessionRowId)) first.set(trace.sessionRowId, trace);
	return new Map(Array.from(first, ([session, { rootSpanRowId }]) => [rootSpanRowId, session]));
}

/** Names of the annotations of these rows, in how many of them they are, and how many labels and scores they have. */
async function annotationsOf(db: Kysely<Tables>, of: AnalyticsRows, rowIds: readonly number[]) {
	return await db
		.selectFrom("annotations")
		.select(({ fn }) => [
			"name",
			fn.count<number>("target_row_id").distinct().as("rows"),
			fn.count<number>("label").as("labels"),
			fn.count<number>("score").as("scores"),
		])
		.where("target", "=", TARGETS[of])
		.where("target_row_id", "in", listed(rowIds))
		.groupBy("name")
		.execute();
}

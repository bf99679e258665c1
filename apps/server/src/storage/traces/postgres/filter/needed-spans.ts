import type { Condition, FilterTarget, RowKind, Rows, Value } from "@spanward/filter-language";
import { promotedColumn } from "#storage/traces/filter/compile.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import { type Queryable, query } from "../read/query.ts";

/** The columns of a span that say where its content is and which spans are around it. */
export type NeededSpan = Pick<
	SpanSummaryRow,
	| "id"
	| "project_id"
	| "trace_row_id"
	| "trace_id"
	| "span_id"
	| "parent_span_id"
	| "start_micros"
	| "block_id"
	| "ordinal"
> & {
	/** True only if it is the root of its trace. */
	readonly is_root?: boolean;
};

/** The columns of {@link NeededSpan}. */
export const NEEDED_COLUMNS = "id project_id trace_row_id trace_id span_id parent_span_id start_micros block_id ordinal"
	.split(" ")
	.map((column) => `spans.${column}`)
	.join(", ");

/** The spans for which a condition needs more than their rows. */
export interface SpanNeeds {
	/** The spans that are filtered. */
	own: boolean;
	/** Their children and siblings. */
	near: boolean;
	/** Root spans of the filtered traces, or of the traces of the filtered sessions. */
	roots: boolean;
	/** The spans whose texts these traces show. */
	texts: boolean;
	/** All spans of the traces. */
	all: boolean;
}

const TEXTS: ReadonlySet<string> = new Set("input output first_input last_output any_input any_output".split(" "));

export function neededBy(target: FilterTarget, conditions: readonly Condition[]): SpanNeeds {
	const needed = { own: false, near: false, roots: false, texts: false, all: false };
	const kinds: RowKind[] = [target];
	const sources: (keyof SpanNeeds)[] = [target === "span" ? "own" : "roots"];
	const enter = (rows: Rows) => {
		kinds[rows.row] = rows.kind;
		const isNear = rows.of === 0 && (rows.collection === "children" || rows.collection === "siblings");
		sources[rows.row] = rows.kind === "trace" ? "roots" : isNear ? "near" : "all";
	};
	const ask = (row: number) => {
		needed[sources[row] ?? "all"] = true;
	};
	/** Conditions and values are plain data; a collection is entered before the fields of its rows occur. */
	const walk = (node: Condition | Value) => {
		if ("rows" in node) {
			enter(node.rows);
			if (node.rows.condition !== undefined) walk(node.rows.condition);
		}
		if (node.type === "attribute" && !(kinds[node.row] === "span" && promotedColumn(node) !== undefined)) ask(node.row);
		if (node.type === "has_tag") ask(node.row);
		if (node.type === "field" && node.name.startsWith("cumulative_")) {
			if (node.ofParent) needed.all = true;
			else ask(node.row);
		}
		if (node.type === "field" && TEXTS.has(node.name) && kinds[node.row] !== "span") {
			ask(node.row);
			needed.texts = true;
		}
		for (const inner of partsOf(node)) walk(inner);
	};
	for (const condition of conditions) walk(condition);
	return needed;
}

function partsOf(node: Condition | Value): readonly (Condition | Value)[] {
	switch (node.type) {
		case "and":
		case "or":
			return node.conditions;
		case "not":
		case "any":
		case "all":
			return [node.condition];
		case "compare":
		case "arithmetic":
			return [node.left, node.right];
		case "contains":
			return [node.text, node.within];
		case "in":
		case "is_none":
		case "negative":
		case "cast":
		case "sum":
		case "max":
		case "min":
			return [node.value];
		default:
			return [];
	}
}

/** The spans that are needed for a chunk of the list, by block; undefined when there are more than `most`. */
export async function findNeededSpans(
	client: Queryable,
	target: FilterTarget,
	needed: SpanNeeds,
	rows: readonly { readonly id: number }[],
	most: number,
): Promise<readonly NeededSpan[] | undefined> {
	const own = target === "span" ? await located(client, rows) : [];
	const found = new Map<number, NeededSpan>();
	const add = (spans: readonly NeededSpan[]) => {
		for (const span of spans) found.set(span.id, span);
	};
	if (needed.own) add(own);
	if (needed.all) add(await spansOfTraces(client, target, own, rows, most + 1));
	else {
		if (needed.near) add(await relatives(client, own, most + 1));
		if (needed.roots) add(await rootSpans(client, target, rows, needed.texts, most + 1));
	}
	if (found.size > most) return undefined;
	return [...found.values()].sort((a, b) => a.block_id - b.block_id || a.ordinal - b.ordinal);
}

/** Lists of spans have all columns already; for row numbers alone the columns are read. */
async function located(client: Queryable, rows: readonly { readonly id: number }[]): Promise<readonly NeededSpan[]> {
	if (rows.every(isLocated)) return rows;
	return query(client, `select ${NEEDED_COLUMNS} from spans where spans.id = any(?::bigint[])`, [
		rows.map(({ id }) => id),
	]);
}

function isLocated(row: { readonly id: number }): row is NeededSpan {
	return "block_id" in row && "trace_id" in row && "parent_span_id" in row;
}

async function relatives(client: Queryable, own: readonly NeededSpan[], limit: number): Promise<NeededSpan[]> {
	const parents = own.flatMap(({ trace_row_id, span_id, parent_span_id }) =>
		[span_id, parent_span_id].flatMap((parent) => (parent === null ? [] : [{ trace_row_id, parent }])),
	);
	return query(
		client,
		`select ${NEEDED_COLUMNS} from (
			select distinct trace_row_id, parent_span_id
			from unnest(?::bigint[], ?::bytea[]) as parents (trace_row_id, parent_span_id)
		) as wanted
		join spans on spans.trace_row_id = wanted.trace_row_id and spans.parent_span_id = wanted.parent_span_id limit ?`,
		[parents.map(({ trace_row_id }) => trace_row_id), parents.map(({ parent }) => parent), limit],
	);
}

/** No span of a trace starts before the trace, so earlier months are not read. */
async function spansOfTraces(
	client: Queryable,
	target: FilterTarget,
	own: readonly NeededSpan[],
	rows: readonly { readonly id: number }[],
	limit: number,
): Promise<NeededSpan[]> {
	const ids = target === "span" ? [...new Set(own.map((span) => span.trace_row_id))] : rows.map(({ id }) => id);
	return query(
		client,
		`select ${NEEDED_COLUMNS} from traces
			join spans on spans.trace_row_id = traces.id and spans.start_micros >= traces.start_micros
		where traces.${target === "session" ? "session_row_id" : "id"} = any(?::bigint[]) limit ?`,
		[ids, limit],
	);
}

async function rootSpans(
	client: Queryable,
	target: FilterTarget,
	rows: readonly { readonly id: number }[],
	withTexts: boolean,
	limit: number,
): Promise<NeededSpan[]> {
	const columns = withTexts ? "root_span, input_span, output_span" : "root_span";
	return query(
		client,
		`select ${NEEDED_COLUMNS}, spans.id = traces.root_span as is_root from traces
			cross join lateral (select distinct unnest(array[${columns}]) as id) as wanted
			join spans on spans.id = wanted.id and spans.start_micros >= traces.start_micros
		where traces.${target === "session" ? "session_row_id" : "id"} = any(?::bigint[]) limit ?`,
		[rows.map(({ id }) => id), limit],
	);
}

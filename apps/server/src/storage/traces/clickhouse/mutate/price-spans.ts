import type { Cost } from "#pricing/cost.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import {
	COST_SENT,
	changedCost,
	mayHavePriceByContent,
	PRICED_SPANS,
	type PricedRow,
	priceByColumns,
	priceByContent,
} from "#storage/traces/mutate/price-rows.ts";
import type { CostQuery } from "#storage/traces/trace-store.ts";
import { Conditions } from "../read/conditions.ts";
import { readContents } from "../read/contents.ts";
import { nextValue } from "../read/edges.ts";
import { firstOf } from "../read/first-of.ts";
import { findRows } from "../read/query.ts";
import { walk } from "../read/walk.ts";
import { SPANS, type SpanRow } from "../tables.ts";

interface PricedSpans {
	/** The row number up to which spans have been processed. */
	readonly afterSpan: number;
	readonly seen: number;
	/** Rows with their new costs, by row number. */
	readonly costs: ReadonlyMap<number, SpanRow>;
	readonly rows: readonly SpanRow[];
}

/** Prices the next spans of a project; what differs is written in a turn. */
export async function priceSpans(shard: ShardReader, query: CostQuery): Promise<PricedSpans> {
	const { startMicros = Number.NEGATIVE_INFINITY, endMicros = Number.POSITIVE_INFINITY, lastSpan } = query;
	const prices = new SpanPrices();
	prices.useOwn(query.ownPrices);
	const priceOf = (...asked: Parameters<SpanPrices["priceOf"]>) => prices.priceOf(...asked);
	const rows = await nextSpans(shard, query);
	const inRange = rows.filter((row) => row.start_micros >= startMicros && row.start_micros < endMicros);
	const costs = new Map<number, SpanRow>();
	const note = (row: SpanRow, cost: Cost | null) => {
		const values = changedCost(toPriced(row), cost);
		if (values !== undefined) costs.set(row.id, { ...row, ...values, cost_source: values.cost_source ?? 0 });
	};
	const byContent: SpanRow[] = [];
	for (const row of inRange) {
		if (row.cost_source === COST_SENT) continue;
		const cost = priceByColumns(toPriced(row), priceOf);
		if (cost === null && mayHavePriceByContent(toPriced(row))) byContent.push(row);
		else note(row, cost);
	}
	const contents = await readContents(shard, byContent);
	for (const row of byContent) {
		const content = contents.get(row.id);
		if (content !== undefined) note(row, priceByContent(toPriced(row), content, priceOf));
	}
	const last = rows.at(-1);
	const afterSpan = last === undefined || rows.length < PRICED_SPANS ? lastSpan : last.id;
	return { afterSpan, seen: inRange.length, costs, rows };
}

/** Row numbers; where others' spans have most of them, windows become wider. */
const WINDOWS = { width: 2 * PRICED_SPANS, least: 64 } as const;

async function nextSpans(
	shard: ShardReader,
	{ projectId, afterSpan, lastSpan }: CostQuery,
): Promise<readonly SpanRow[]> {
	const { rows } = await walk<SpanRow>({
		...{ ...WINDOWS, order: "asc", limit: PRICED_SPANS, after: undefined, begun: performance.now(), isSlow: false },
		edges: { from: afterSpan + 1, to: lastSpan + 1 },
		next: (edge) => nextValue(shard, { table: "spans", column: "id", projectId, isSorted: false }, "asc", edge),
		keyOf: ({ id }) => ({ value: id, id }),
		read: async ({ from, to }, _position, most) => {
			const where = new Conditions().addEqual("project_id", "Int64", projectId);
			where.add(`id >= ${where.bind("Int64", from)} and id < ${where.bind("Int64", to)}`);
			const found = await findRows(shard, SPANS, where, `order by id limit ${most}`);
			return firstOf(found, most, (a, b) => a.id - b.id);
		},
	});
	return rows;
}

/** The columns of a row that are its cost. */
export function costsOf(row: SpanRow) {
	const { cost_source, cost_total, cost_prompt, cost_completion, cost_cache_read, cost_cache_write, cost_reasoning } =
		row;
	return { cost_source, cost_total, cost_prompt, cost_completion, cost_cache_read, cost_cache_write, cost_reasoning };
}

function toPriced(row: SpanRow): Omit<PricedRow, "block_id" | "ordinal"> {
	return { ...row, cost_source: row.cost_source === 0 ? null : row.cost_source };
}

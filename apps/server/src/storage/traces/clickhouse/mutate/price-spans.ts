import type { Cost } from "#pricing/cost.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import type { Shard } from "#storage/clickhouse/shard.ts";
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
import { readContents } from "../read/contents.ts";
import { findRows } from "../read/query.ts";
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
export async function priceSpans(shard: Shard, query: CostQuery): Promise<PricedSpans> {
	const { projectId, startMicros = Number.NEGATIVE_INFINITY, endMicros = Number.POSITIVE_INFINITY, lastSpan } = query;
	const prices = new SpanPrices();
	prices.useOwn(query.ownPrices);
	const priceOf = (...asked: Parameters<SpanPrices["priceOf"]>) => prices.priceOf(...asked);
	const rows = await findRows(
		shard,
		SPANS,
		{
			sql: "project_id = {project:Int64} and id > {after:Int64} and id <= {last:Int64}",
			params: { project: projectId, after: query.afterSpan, last: lastSpan },
		},
		`order by id limit ${PRICED_SPANS}`,
	);
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

/** The columns of a row that are its cost. */
export function costsOf(row: SpanRow) {
	const { cost_source, cost_total, cost_prompt, cost_completion, cost_cache_read, cost_cache_write, cost_reasoning } =
		row;
	return { cost_source, cost_total, cost_prompt, cost_completion, cost_cache_read, cost_cache_write, cost_reasoning };
}

function toPriced(row: SpanRow): Omit<PricedRow, "block_id" | "ordinal"> {
	return { ...row, cost_source: row.cost_source === 0 ? null : row.cost_source };
}

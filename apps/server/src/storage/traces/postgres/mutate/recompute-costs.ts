import type pg from "pg";
import type { Cost } from "#pricing/cost.ts";
import {
	COST_COLUMNS,
	COST_SENT,
	type CostValues,
	changedCost,
	mayHavePriceByContent,
	PRICED_COLUMNS,
	PRICED_SPANS,
	type PricedBatch,
	type PricedRow,
	type PriceSpan,
	priceByColumns,
	priceByContent,
} from "#storage/traces/mutate/price-rows.ts";
import { costGain } from "#storage/traces/totals/cost-pico.ts";
import { noTotals } from "#storage/traces/totals/rollup.ts";
import { counts, NODE_COLUMNS, type NodeRow, nodeOfRow } from "#storage/traces/totals/span-node.ts";
import type { TraceRow } from "#storage/traces/totals/trace-row.ts";
import type { CostQuery } from "#storage/traces/trace-store.ts";
import { type LocatedSpan, SpanContents } from "../read/span-contents.ts";
import { LostRace } from "../write/lost-race.ts";
import { lockTracesExclusively } from "./traces.ts";
import type { MutationTransaction } from "./transaction.ts";

type Row = PricedRow & LocatedSpan;

/** Prices the next spans without blocking writers; {@link writeCosts} stores the differences. */
export async function priceSpans(client: pg.ClientBase, query: CostQuery, priceOf: PriceSpan): Promise<PricedBatch> {
	const { projectId, startMicros = Number.NEGATIVE_INFINITY, endMicros = Number.POSITIVE_INFINITY, lastSpan } = query;
	const { rows } = await client.query<Row>(
		`select ${PRICED_COLUMNS}, project_id, trace_id, span_id from spans where project_id = $1 and id > $2 and id <= $3
		order by id limit ${PRICED_SPANS}`,
		[projectId, query.afterSpan, lastSpan],
	);
	const inRange = rows.filter((row) => row.start_micros >= startMicros && row.start_micros < endMicros);
	const costs = new Map<number, CostValues>();
	const note = (row: Row, cost: Cost | null) => {
		const values = changedCost(row, cost);
		if (values !== undefined) costs.set(row.id, values);
	};
	const byContent: Row[] = [];
	for (const row of inRange) {
		if (row.cost_source === COST_SENT) continue;
		const cost = priceByColumns(row, priceOf);
		if (cost === null && mayHavePriceByContent(row)) byContent.push(row);
		else note(row, cost);
	}
	for await (const { row, content, isDamaged } of new SpanContents(client).read(byContent)) {
		// Damaged content cannot be priced.
		if (!isDamaged) note(row, priceByContent(row, content, priceOf));
	}
	const last = rows.at(-1);
	const afterSpan = last === undefined || rows.length < PRICED_SPANS ? lastSpan : last.id;
	return { projectId, afterSpan, seen: inRange.length, costs };
}

type StoredSpan = NodeRow & {
	readonly trace_row_id: number;
	readonly project_id: number;
	readonly cost_source: number | null;
};

/**
 * Stores new costs, and updates the totals.
 * @param countedIn the row of `cost_recomputations` that counts the changed spans
 * @returns the row numbers of the changed traces, and the number of changed spans
 */
export async function writeCosts(
	transaction: MutationTransaction,
	{ projectId, costs }: PricedBatch,
	countedIn?: number,
): Promise<{ traceRowIds: readonly number[]; changed: number }> {
	const traces = await lockTracesOf(transaction, [...costs.keys()]);
	const { rows } = await transaction.client.query<StoredSpan>(
		`select ${NODE_COLUMNS}, trace_row_id, project_id, cost_source from spans where id = any($1::bigint[])`,
		[[...costs.keys()]],
	);
	const changes = new Map<number, CostValues>();
	const gains = new Map<number, { costMicro: number; costPico: number; costed: number }>();
	for (const stored of rows) {
		const values = costs.get(stored.id);
		const trace = traces.get(stored.trace_row_id);
		if (trace === undefined) throw new LostRace("a span's trace has joined another one");
		if (values === undefined || trace.project_id !== projectId || stored.cost_source === COST_SENT) continue;
		const before = nodeOfRow(stored);
		const after = nodeOfRow({ ...stored, cost_total: values.cost_total });
		changes.set(stored.id, values);
		const gain = gains.get(trace.id) ?? { costMicro: 0, costPico: 0, costed: 0 };
		gains.set(trace.id, gain);
		if (!counts(before)) continue;
		const more = costGain(before.cost, after.cost);
		transaction.hours.addCost(projectId, before, more);
		transaction.spend.addCost(projectId, before, trace.user_id, more);
		gain.costMicro += more.micro;
		gain.costPico += more.pico;
		gain.costed += Number(after.cost !== null) - Number(before.cost !== null);
	}
	await updateCosts(transaction, changes);
	await addToTraces(transaction, traces, gains);
	if (countedIn !== undefined) await transaction.references.costsChanged(transaction.client, countedIn, changes.size);
	return { traceRowIds: [...gains.keys()], changed: changes.size };
}

async function lockTracesOf(
	{ client }: MutationTransaction,
	spanRowIds: readonly number[],
): Promise<ReadonlyMap<number, TraceRow>> {
	const { rows } = await client.query<{ trace_row_id: number }>(
		"select distinct trace_row_id from spans where id = any($1::bigint[])",
		[spanRowIds],
	);
	const locked = await lockTracesExclusively(
		client,
		rows.map((row) => row.trace_row_id),
	);
	return new Map(locked.map((row) => [row.id, row]));
}

async function updateCosts({ client }: MutationTransaction, costs: ReadonlyMap<number, CostValues>): Promise<void> {
	const types = COST_COLUMNS.map((column) => (column === "cost_source" ? "integer[]" : "double precision[]"));
	await client.query(
		`update spans set ${COST_COLUMNS.map((column) => `${column} = priced.${column}`).join(", ")}
		from unnest($1::bigint[], ${types.map((type, index) => `$${index + 2}::${type}`).join(", ")})
			as priced (id, ${COST_COLUMNS.join(", ")})
		where spans.id = priced.id`,
		[[...costs.keys()], ...COST_COLUMNS.map((column) => Array.from(costs.values(), (values) => values[column]))],
	);
}

async function addToTraces(
	transaction: MutationTransaction,
	traces: ReadonlyMap<number, TraceRow>,
	gains: ReadonlyMap<number, { readonly costMicro: number; readonly costPico: number; readonly costed: number }>,
): Promise<void> {
	const { client, sessions } = transaction;
	const sums = [...gains.values()];
	await client.query(
		`update traces set cost_micro = traces.cost_micro + gain.cost_micro, cost_pico = traces.cost_pico + gain.cost_pico,
			costed_spans = traces.costed_spans + gain.costed
		from unnest($1::bigint[], $2::double precision[], $3::double precision[], $4::bigint[])
			as gain (id, cost_micro, cost_pico, costed)
		where traces.id = gain.id`,
		[
			[...gains.keys()],
			sums.map(({ costMicro }) => costMicro),
			sums.map(({ costPico }) => costPico),
			sums.map(({ costed }) => costed),
		],
	);
	const sessionRowIds = new Set<number>();
	for (const [id, { costMicro, costPico, costed }] of gains) {
		const row = traces.get(id);
		if (row === undefined || row.session_row_id === null) continue;
		const bounds = {
			startMicros: row.start_micros,
			startNanos: row.start_nanos,
			endMicros: row.end_micros,
			endNanos: row.end_nanos,
		};
		sessions.grow(row.session_row_id, 0, { ...noTotals(), costMicro, costPico, costed }, bounds);
		sessionRowIds.add(row.session_row_id);
	}
	if (sessionRowIds.size === 0) return;
	const { rows } = await client.query<{ id: number; project_id: number; session_id: string }>(
		"select id, project_id, session_id from sessions where id = any($1::bigint[])",
		[[...sessionRowIds]],
	);
	transaction.nameSessions(
		new Map(rows.map((row) => [row.id, { projectId: row.project_id, sessionId: row.session_id }])),
	);
}

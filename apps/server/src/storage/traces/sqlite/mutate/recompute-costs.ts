import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { findRow, listRows } from "#storage/sqlite/rows.ts";
import type { BlockSpan } from "#storage/traces/content/block.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
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
import type { CostQuery, SpanContent } from "#storage/traces/trace-store.ts";
import type { MutationTransaction } from "./transaction.ts";

/** Prices the next spans without blocking writers; {@link writeCosts} stores the differences. */
export function priceSpans(db: DatabaseSync, query: CostQuery, priceOf: PriceSpan): PricedBatch {
	const { projectId, startMicros = Number.NEGATIVE_INFINITY, endMicros = Number.POSITIVE_INFINITY, lastSpan } = query;
	const rows = listRows<PricedRow>(
		db.prepare(
			`select ${PRICED_COLUMNS} from spans indexed by spans_by_project
			where project_id = ? and id > ? and id <= ? order by id limit ${PRICED_SPANS}`,
		),
		projectId,
		query.afterSpan,
		lastSpan,
	);
	const inRange = rows.filter((row) => row.start_micros >= startMicros && row.start_micros < endMicros);
	const contents = new Contents(db);
	const costs = new Map<number, CostValues>();
	for (const row of inRange) {
		if (row.cost_source === COST_SENT) continue;
		const price = priceByColumns(row, priceOf);
		const content = price === null && mayHavePriceByContent(row) ? contents.of(row) : null;
		// Damaged content cannot be priced.
		if (content === undefined) continue;
		const values = changedCost(row, content === null ? price : priceByContent(row, content, priceOf));
		if (values !== undefined) costs.set(row.id, values);
	}
	const last = rows.at(-1);
	const afterSpan = last === undefined || rows.length < PRICED_SPANS ? lastSpan : last.id;
	return { projectId, afterSpan, seen: inRange.length, costs };
}

/**
 * Stores new costs, and updates the totals.
 * @param countedIn the row of `cost_recomputations` that counts the changed spans
 * @returns the row numbers of the changed traces, and the number of changed spans
 */
export function writeCosts(
	db: DatabaseSync,
	transaction: MutationTransaction,
	{ projectId, costs }: PricedBatch,
	countedIn?: number,
): { traceRowIds: readonly number[]; changed: number } {
	const find = db.prepare(`select ${NODE_COLUMNS}, trace_row_id, project_id, cost_source from spans where id = ?`);
	const update = db.prepare(
		`update spans set ${COST_COLUMNS.map((column) => `${column} = ?`).join(", ")} where id = ?`,
	);
	const ofTraces = new Map<number, { row: TraceRow; costMicro: number; costPico: number; costed: number }>();
	let changed = 0;
	for (const [id, values] of costs) {
		const stored = findRow<NodeRow & StoredSpan>(find, id);
		if (stored === undefined || stored.project_id !== projectId || stored.cost_source === COST_SENT) continue;
		const ofTrace = ofTraces.get(stored.trace_row_id) ?? startTrace(transaction, stored.trace_row_id);
		if (ofTrace === undefined) continue;
		const before = nodeOfRow(stored);
		const after = nodeOfRow({ ...stored, cost_total: values.cost_total });
		update.run(...COST_COLUMNS.map((column): SQLInputValue => values[column]), id);
		changed += 1;
		ofTraces.set(stored.trace_row_id, ofTrace);
		if (!counts(before)) continue;
		const more = costGain(before.cost, after.cost);
		transaction.hours.addCost(projectId, before, more);
		transaction.spend.addCost(projectId, before, ofTrace.row.user_id, more);
		ofTrace.costMicro += more.micro;
		ofTrace.costPico += more.pico;
		ofTrace.costed += Number(after.cost !== null) - Number(before.cost !== null);
	}
	const add = db.prepare(
		`update traces set cost_micro = cost_micro + ?, cost_pico = cost_pico + ?, costed_spans = costed_spans + ?
		where id = ?`,
	);
	for (const { row, costMicro, costPico, costed } of ofTraces.values()) {
		add.run(costMicro, costPico, costed, row.id);
		if (row.session_row_id === null) continue;
		const bounds = {
			startMicros: row.start_micros,
			startNanos: row.start_nanos,
			endMicros: row.end_micros,
			endNanos: row.end_nanos,
		};
		transaction.sessions.grow(row.session_row_id, 0, { ...noTotals(), costMicro, costPico, costed }, bounds);
	}
	if (countedIn !== undefined) transaction.references.costsChanged(db, countedIn, changed);
	return { traceRowIds: [...ofTraces.keys()], changed };
}

interface StoredSpan {
	readonly trace_row_id: number;
	readonly project_id: number;
	readonly cost_source: number | null;
}

/** Undefined for a trace that is being deleted. */
function startTrace({ traces }: MutationTransaction, traceRowId: number) {
	const row = traces.traceById(traceRowId);
	return row === undefined || row.project_id < 0 ? undefined : { row, costMicro: 0, costPico: 0, costed: 0 };
}

/** The content of spans, undefined where it is damaged; caches the last block. */
class Contents {
	readonly #find;
	#block: { readonly id: number; readonly spans: readonly BlockSpan[] } | undefined;

	constructor(db: DatabaseSync) {
		this.#find = db.prepare("select data from blocks where id = ?");
	}

	of({ block_id: blockId, ordinal }: PricedRow): Pick<SpanContent, "span" | "scope"> | undefined {
		if (this.#block?.id !== blockId) {
			const row = findRow<{ data: Uint8Array }>(this.#find, blockId);
			this.#block = { id: blockId, spans: readBlock(blockId, row?.data) };
		}
		const span = this.#block.spans[ordinal];
		return span && { span: span.bytes, scope: span.scope.bytes };
	}
}

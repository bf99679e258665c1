import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { decodeScope, decodeSpan, toPlainMap } from "@spanward/otlp";
import { readFacts, type SpanFacts, type TokenCounts } from "@spanward/semconv";
import { type BlockSpan, unpackBlock } from "../../content/block.ts";
import { noTotals } from "../../totals/rollup.ts";
import { counts, isAggregate, NODE_COLUMNS, type NodeRow, nodeOfRow } from "../../totals/span-node.ts";
import type { Cost, CostQuery } from "../../trace-store.ts";
import type { TraceRow } from "../write/trace-statements.ts";
import type { WriteTransaction } from "../write/write-transaction.ts";

/** What a span costs by the prices of now; given from outside because storage knows no prices. */
export type PriceSpan = (facts: SpanFacts, startMicros: number) => Cost | null;

/** Spans that one step looks at. */
const BATCH_SPANS = 500;
const COST_SENT = 1;
const COST_COLUMNS = [
	"cost_source",
	"cost_total",
	"cost_prompt",
	"cost_completion",
	"cost_cache_read",
	"cost_cache_write",
	"cost_reasoning",
] as const;

type CostValues = Readonly<Record<(typeof COST_COLUMNS)[number], number | null>>;

interface PricedRow extends CostValues {
	readonly id: number;
	readonly start_micros: number;
	readonly flags: number;
	readonly name: string;
	readonly block_id: number;
	readonly ordinal: number;
	readonly model: string | null;
	readonly provider: string | null;
	readonly tokens_prompt: number | null;
	readonly tokens_completion: number | null;
	readonly tokens_total: number | null;
	readonly tokens_cache_read: number | null;
	readonly tokens_cache_write: number | null;
	readonly tokens_reasoning: number | null;
}

export interface PricedBatch {
	readonly projectId: number;
	readonly afterSpan: number;
	readonly seen: number;
	/** New costs by row number of the span. */
	readonly costs: ReadonlyMap<number, CostValues>;
}

/** Prices the next spans without holding up writers; what is different goes to {@link writeCosts}. */
export function priceSpans(db: DatabaseSync, query: CostQuery, priceOf: PriceSpan): PricedBatch {
	const { projectId, startMicros = Number.NEGATIVE_INFINITY, endMicros = Number.POSITIVE_INFINITY, lastSpan } = query;
	const rows = db
		.prepare(
			`select id, start_micros, flags, name, block_id, ordinal, model, provider, tokens_prompt, tokens_completion,
				tokens_total, tokens_cache_read, tokens_cache_write, tokens_reasoning, ${COST_COLUMNS.join(", ")}
			from spans indexed by spans_by_project
			where project_id = ? and id > ? and id <= ? order by id limit ${BATCH_SPANS}`,
		)
		.all(projectId, query.afterSpan, lastSpan) as unknown as PricedRow[];
	const inRange = rows.filter((row) => row.start_micros >= startMicros && row.start_micros < endMicros);
	const contents = new Contents(db);
	const costs = new Map<number, CostValues>();
	for (const row of inRange) {
		if (row.cost_source === COST_SENT) continue;
		const values = toValues(priceOf(factsOf(row), row.start_micros) ?? priceByContent(contents, row, priceOf));
		if (COST_COLUMNS.some((column) => values[column] !== row[column])) costs.set(row.id, values);
	}
	const last = rows.at(-1);
	const afterSpan = last === undefined || rows.length < BATCH_SPANS ? lastSpan : last.id;
	return { projectId, afterSpan, seen: inRange.length, costs };
}

/** Stores new costs with the totals that follow from them. @returns the rows of the traces that changed */
export function writeCosts(
	db: DatabaseSync,
	transaction: WriteTransaction,
	{ projectId, costs }: PricedBatch,
): { traceRowIds: readonly number[]; changed: number } {
	const find = db.prepare(`select ${NODE_COLUMNS}, trace_row_id, project_id, cost_source from spans where id = ?`);
	const update = db.prepare(
		`update spans set ${COST_COLUMNS.map((column) => `${column} = ?`).join(", ")} where id = ?`,
	);
	const ofTraces = new Map<number, { row: TraceRow; costPico: number; costed: number }>();
	let changed = 0;
	for (const [id, values] of costs) {
		const stored = find.get(id) as unknown as (NodeRow & StoredSpan) | undefined;
		if (stored === undefined || stored.project_id !== projectId || stored.cost_source === COST_SENT) continue;
		const ofTrace = ofTraces.get(stored.trace_row_id) ?? startTrace(transaction, stored.trace_row_id);
		if (ofTrace === undefined) continue;
		const before = nodeOfRow(stored);
		const after = nodeOfRow({ ...stored, cost_total: values.cost_total });
		update.run(...COST_COLUMNS.map((column): SQLInputValue => values[column]), id);
		changed += 1;
		ofTraces.set(stored.trace_row_id, ofTrace);
		if (!counts(before)) continue;
		const costPico = (after.costPico ?? 0) - (before.costPico ?? 0);
		transaction.hours.addCost(projectId, before, costPico);
		ofTrace.costPico += costPico;
		ofTrace.costed += Number(after.costPico !== null) - Number(before.costPico !== null);
	}
	const add = db.prepare("update traces set cost_pico = cost_pico + ?, costed_spans = costed_spans + ? where id = ?");
	for (const { row, costPico, costed } of ofTraces.values()) {
		add.run(costPico, costed, row.id);
		if (row.session_row_id === null) continue;
		const bounds = {
			startMicros: row.start_micros,
			startNanos: row.start_nanos,
			endMicros: row.end_micros,
			endNanos: row.end_nanos,
		};
		transaction.sessions.grow(row.session_row_id, 0, { ...noTotals(), costPico, costed }, bounds);
	}
	return { traceRowIds: [...ofTraces.keys()], changed };
}

interface StoredSpan {
	readonly trace_row_id: number;
	readonly project_id: number;
	readonly cost_source: number | null;
}

/** Undefined for a trace that is being deleted. */
function startTrace({ traces }: WriteTransaction, traceRowId: number) {
	const row = traces.traceById(traceRowId);
	return row === undefined || row.project_id < 0 ? undefined : { row, costPico: 0, costed: 0 };
}

function factsOf(row: PricedRow): SpanFacts {
	const counted: [keyof TokenCounts, number | null][] = [
		["prompt", row.tokens_prompt],
		["completion", row.tokens_completion],
		["total", row.tokens_total],
		["cache_read", row.tokens_cache_read],
		["cache_write", row.tokens_cache_write],
		["reasoning", row.tokens_reasoning],
	];
	return {
		convention: "plain",
		kind: "LLM",
		tokens: Object.fromEntries(counted.filter(([, count]) => count !== null)),
		tokens_are_aggregate: isAggregate(row.flags),
		...(row.model === null ? {} : { model: row.model }),
		...(row.provider === null ? {} : { provider: row.provider }),
	};
}

/** The model that was asked for is in no column; it counts when the one that answered has no price. */
function priceByContent(contents: Contents, row: PricedRow, priceOf: PriceSpan): Cost | null {
	const hasTokens = row.tokens_prompt !== null || row.tokens_completion !== null || row.tokens_total !== null;
	if (row.model === null || !hasTokens || isAggregate(row.flags)) return null;
	const { bytes, scope } = contents.of(row);
	const attributes = toPlainMap(decodeSpan(bytes).attributes);
	const { request_model: requested } = readFacts(row.name, decodeScope(scope.bytes).name, attributes);
	return requested === undefined ? null : priceOf({ ...factsOf(row), request_model: requested }, row.start_micros);
}

function toValues(cost: Cost | null): CostValues {
	return {
		cost_source: cost === null ? null : 2,
		cost_total: cost?.total ?? null,
		cost_prompt: cost?.prompt ?? null,
		cost_completion: cost?.completion ?? null,
		cost_cache_read: cost?.cache_read ?? null,
		cost_cache_write: cost?.cache_write ?? null,
		cost_reasoning: cost?.reasoning ?? null,
	};
}

/** The content of spans; of their blocks the last one is kept unpacked. */
class Contents {
	readonly #find;
	#block: { readonly id: number; readonly spans: readonly BlockSpan[] } | undefined;

	constructor(db: DatabaseSync) {
		this.#find = db.prepare("select data from blocks where id = ?");
	}

	of({ id, block_id: blockId, ordinal }: PricedRow): BlockSpan {
		if (this.#block?.id !== blockId) {
			const data = this.#find.get(blockId)?.["data"] as Uint8Array | undefined;
			this.#block = { id: blockId, spans: data === undefined ? [] : unpackBlock(data) };
		}
		const span = this.#block.spans[ordinal];
		if (span === undefined) throw new Error(`block ${blockId} has no content of span row ${id}`);
		return span;
	}
}

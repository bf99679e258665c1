import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { present } from "#base/present.ts";
import { findRow, hasRow, listRows } from "#storage/sqlite/rows.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import {
	flagsOf,
	NODE_COLUMNS,
	type NodeRow,
	nodeOfRow,
	type SpanNode,
	USAGE_FLAGS,
} from "#storage/traces/totals/span-node.ts";
import { SPAN_COLUMNS, type SpanLocation, spanValues } from "#storage/traces/totals/span-row.ts";
import {
	NO_STORED_NODES,
	type StoredNodes,
	WHOLE_TRACE_SPANS,
	wholeTrace,
} from "#storage/traces/totals/trace-nodes.ts";
import { TRACE_COLUMNS, type TraceRow, traceValues } from "#storage/traces/totals/trace-row.ts";

interface BlockOfSpan {
	readonly id: number;
	readonly data: Uint8Array | null;
	readonly ordinal: number;
}

/** The rows of `traces`, `spans` and `blocks`: the statements of the hot path, prepared once per connection. */
export class TraceRows {
	readonly #findTrace: StatementSync;
	readonly #traceById: StatementSync;
	readonly #insertTrace: StatementSync;
	readonly #updateTrace: StatementSync;
	readonly #insertSpan: StatementSync;
	readonly #endSpan: StatementSync;
	readonly #placeOfSpan: StatementSync;
	readonly #insertBlock: StatementSync;
	readonly #setFlags: StatementSync;
	readonly #nodesOfTrace: StatementSync;
	readonly #nodesBySpanId: StatementSync;
	readonly #nodeById: StatementSync;
	readonly #llmNodes: StatementSync;
	readonly #usageChild: StatementSync;
	readonly #blockOfSpan: StatementSync;
	readonly #blocksBySpanId: StatementSync;

	constructor(db: DatabaseSync) {
		const all = `id, ${TRACE_COLUMNS.join(", ")}`;
		const node = `select ${NODE_COLUMNS} from spans where`;
		this.#findTrace = db.prepare(`select ${all} from traces where trace_id = ? and project_id = ?`);
		this.#traceById = db.prepare(`select ${all} from traces where id = ?`);
		this.#insertTrace = db.prepare(
			`insert into traces (${TRACE_COLUMNS.join(", ")}, id) values (${marks(TRACE_COLUMNS.length + 1)})`,
		);
		this.#updateTrace = db.prepare(
			`update traces set ${TRACE_COLUMNS.map((column) => `${column} = ?`).join(", ")} where id = ?`,
		);
		this.#insertSpan = db.prepare(
			`insert into spans (${SPAN_COLUMNS.join(", ")}) values (${marks(SPAN_COLUMNS.length)})`,
		);
		this.#endSpan = db.prepare(
			`update spans set ${SPAN_COLUMNS.map((column) => `${column} = ?`).join(", ")} where id = ?`,
		);
		this.#placeOfSpan = db.prepare("select id, block_id from spans where id = ?");
		this.#insertBlock = db.prepare("insert into blocks (id, first_span, last_span, data) values (?, ?, ?, ?)");
		this.#setFlags = db.prepare("update spans set flags = ? where id = ?");
		this.#nodesOfTrace = db.prepare(`${node} trace_row_id = ?`);
		this.#nodesBySpanId = db.prepare(`${node} trace_row_id = ? and span_id = ?`);
		this.#nodeById = db.prepare(`${node} id = ?`);
		this.#llmNodes = db.prepare(`${node} trace_row_id = ? and kind = ${LLM}`);
		this.#usageChild = db.prepare(
			`select 1 from spans where trace_row_id = ? and parent_span_id = ? and span_id <> parent_span_id
				and flags & ${USAGE_FLAGS} <> 0 limit 1`,
		);
		this.#blockOfSpan = db.prepare(
			`select block_id as id, blocks.data as data, spans.ordinal as ordinal
			from spans left join blocks on blocks.id = spans.block_id where spans.id = ?`,
		);
		this.#blocksBySpanId = db.prepare("select block_id from spans where trace_row_id = ? and span_id = ?");
	}

	findTrace(projectId: number, traceId: Uint8Array): TraceRow | undefined {
		return findRow(this.#findTrace, traceId, projectId);
	}

	traceById(id: number): TraceRow | undefined {
		return findRow(this.#traceById, id);
	}

	insertTrace(row: TraceRow): void {
		this.#insertTrace.run(...traceValues(row));
	}

	updateTrace(row: TraceRow): void {
		this.#updateTrace.run(...traceValues(row));
	}

	/** Inserts a span of the batch; `node` has its row number and flags. */
	insertSpan(node: SpanNode, projectId: number, traceRowId: number, place: SpanLocation): void {
		this.#insertSpan.run(...spanValues(node, projectId, traceRowId, place));
	}

	/** Writes the row of a stored span that a span of the batch ends. */
	endSpan(node: SpanNode, projectId: number, traceRowId: number, place: SpanLocation): void {
		this.#endSpan.run(...spanValues(node, projectId, traceRowId, place), node.id);
	}

	placeOfSpan(id: number): { readonly id: number; readonly block_id: number } {
		return present(findRow<{ id: number; block_id: number }>(this.#placeOfSpan, id), `span row ${id}`);
	}

	insertBlock(id: number, firstSpan: number, lastSpan: number, data: Uint8Array): void {
		this.#insertBlock.run(id, firstSpan, lastSpan, data);
	}

	writeFlags(node: SpanNode): void {
		this.#setFlags.run(flagsOf(node), node.id);
	}

	/** The blocks of the spans of this id in a trace. */
	blocksBySpanId(traceRowId: number, spanId: string): number[] {
		const rows = listRows<{ block_id: number }>(this.#blocksBySpanId, traceRowId, Buffer.from(spanId, "hex"));
		return rows.map(({ block_id }) => block_id);
	}

	nodesOfTrace(traceRowId: number): SpanNode[] {
		return listNodes(this.#nodesOfTrace, traceRowId);
	}

	llmNodes(traceRowId: number): SpanNode[] {
		return listNodes(this.#llmNodes, traceRowId);
	}

	nodeById(id: number): SpanNode {
		const [node] = listNodes(this.#nodeById, id);
		if (node === undefined) throw new Error(`span row ${id} that a trace refers to is missing`);
		return node;
	}

	/** The spans of a stored trace. */
	storedNodes(traceRowId: number, spanCount: number): StoredNodes {
		if (spanCount === 0) return NO_STORED_NODES;
		if (spanCount <= WHOLE_TRACE_SPANS) return wholeTrace(this.nodesOfTrace(traceRowId));
		return {
			bySpanId: (spanId) => listNodes(this.#nodesBySpanId, traceRowId, Buffer.from(spanId, "hex")),
			hasUsageBelow: (spanId) => hasRow(this.#usageChild, traceRowId, Buffer.from(spanId, "hex")),
		};
	}

	/** The block with a stored span's content, and the span's place in it; `data` is null when the block is missing. */
	blockOfSpan(spanRowId: number): BlockOfSpan {
		return present(findRow<BlockOfSpan>(this.#blockOfSpan, spanRowId), `span row ${spanRowId}`);
	}
}

function listNodes(statement: StatementSync, ...values: readonly SQLInputValue[]): SpanNode[] {
	return listRows<NodeRow>(statement, ...values).map(nodeOfRow);
}

function marks(count: number): string {
	return Array.from({ length: count }, () => "?").join(", ");
}

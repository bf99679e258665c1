import type { ClientBase } from "pg";
import type { BlockSpan } from "#storage/traces/content/block.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import type { StoredTexts } from "#storage/traces/totals/add-spans.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import type { Texts } from "#storage/traces/totals/trace-texts.ts";
import type { LogsOfSpans } from "./log-rows.ts";
import { llmNodes, nodesById } from "./trace-rows.ts";

/** Data was needed that has not been read yet. */
class NotRead extends Error {
	readonly read: () => Promise<void>;

	constructor(read: () => Promise<void>) {
		super("not read yet");
		this.read = read;
	}
}

/**
 * Stored spans for the algorithms of the totals, which are synchronous: known data is returned at once; for missing
 * data `settle` reads it and runs the algorithm again.
 */
export class StoredSpans {
	/** To be set before texts are needed; without it there are no log records. */
	logsOf: LogsOfSpans = () => [];
	readonly #client: ClientBase;
	readonly #readTexts: ReadTexts;
	readonly #nodes = new Map<number, SpanNode>();
	readonly #llm = new Map<number, readonly SpanNode[]>();
	/** Null for damaged content. */
	readonly #contents = new Map<number, BlockSpan | null>();

	constructor(client: ClientBase, readTexts: ReadTexts) {
		this.#client = client;
		this.#readTexts = readTexts;
	}

	/** Stores spans that were read. @param wholeTrace row number of the trace, when these are all of its spans */
	know(nodes: readonly SpanNode[], wholeTrace?: number): void {
		for (const node of nodes) this.#nodes.set(node.id, node);
		if (wholeTrace !== undefined)
			this.#llm.set(
				wholeTrace,
				nodes.filter((node) => node.kind === LLM),
			);
	}

	/** Call it when spans of a trace are written: its LLM spans are read anew when they are needed again. */
	changed(traceRowId: number): void {
		this.#llm.delete(traceRowId);
	}

	/** Reads the spans that are not known yet. */
	async readNodes(ids: readonly number[]): Promise<void> {
		this.know(
			await nodesById(
				this.#client,
				ids.filter((id) => !this.#nodes.has(id)),
			),
		);
	}

	/** Runs `ask`, which must have no effects, until it has everything it needs. */
	async settle<T>(ask: () => T): Promise<T> {
		for (;;) {
			try {
				return ask();
			} catch (error) {
				if (!(error instanceof NotRead)) throw error;
				await error.read();
			}
		}
	}

	/** Call it within `settle`. */
	nodeById(id: number): SpanNode {
		const node = this.#nodes.get(id);
		if (node !== undefined) return node;
		throw new NotRead(async () => {
			await this.readNodes([id]);
			if (!this.#nodes.has(id)) throw new Error(`span row ${id} that a trace refers to is missing`);
		});
	}

	/** Texts of a trace; call it within `settle`. */
	textsOf(traceRowId: number, key: TraceKey): StoredTexts {
		return {
			nodeById: (id) => this.nodeById(id),
			llmNodes: () => this.#llmNodes(traceRowId),
			textsOf: (node) => this.#textsOf(key, node),
		};
	}

	#llmNodes(traceRowId: number): readonly SpanNode[] {
		const nodes = this.#llm.get(traceRowId);
		if (nodes !== undefined) return nodes;
		throw new NotRead(async () => {
			this.#llm.set(traceRowId, await llmNodes(this.#client, traceRowId, LLM));
		});
	}

	#textsOf(key: TraceKey, node: SpanNode): Texts {
		const logs = this.logsOf(key, node.spanId);
		if (node.source !== undefined) return node.source.texts(logs);
		const content = this.#contents.get(node.id);
		if (content === undefined) throw new NotRead(() => this.#readContent(node.id));
		// A damaged span contributes no text to its trace.
		if (content === null) return {};
		return this.#readTexts(contentOf(content, logs));
	}

	async #readContent(spanRowId: number): Promise<void> {
		const { rows } = await this.#client.query<{ id: number; ordinal: number; data: Buffer | null }>({
			name: "content of a span",
			text: "select block_id as id, ordinal, data from spans left join blocks on blocks.id = spans.block_id where spans.id = $1",
			values: [spanRowId],
		});
		const [row] = rows;
		if (row === undefined) throw new Error(`span row ${spanRowId} is missing`);
		this.#contents.set(spanRowId, readBlock(Number(row.id), row.data ?? undefined)[row.ordinal] ?? null);
	}
}

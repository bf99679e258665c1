import { present } from "#base/present.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import { shownText } from "#storage/traces/content/shown-texts.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import { chooseTexts, type Texts, type TraceTexts } from "#storage/traces/totals/trace-texts.ts";
import { readContents } from "../read/contents.ts";
import type { SpanRow, TraceRow } from "../tables.ts";
import { presenceOf, textBits } from "../texts.ts";
import type { LogsBySpan } from "./logs-by-span.ts";
import { keyOf } from "./stored-traces.ts";

/** What the row of a trace shows, and from which spans. */
export interface ChosenTexts extends TraceTexts {
	readonly firstInput: string | null;
	readonly lastOutput: string | null;
}

export interface TraceWithTexts {
	readonly key: TraceKey;
	readonly root: SpanNode;
	/** All spans that the trace has now. */
	readonly nodes: readonly SpanNode[];
	/** Rows of those that were stored before, by row number. */
	readonly rows: ReadonlyMap<number, SpanRow>;
	readonly before: TraceRow | undefined;
}

interface MissingText {
	readonly row: SpanRow;
	readonly key: TraceKey;
	readonly spanId: string;
}

interface Sources {
	readonly logs: LogsBySpan;
	readonly readTexts: ReadTexts;
}

/**
 * Chooses first input and last output of traces. Rows of spans say whether there are texts, so content is read only of
 * spans that the batch does not have and that are newly chosen, or to which log records came.
 */
export class TextChooser {
	readonly #shards: ShardReader;
	readonly #sources: Sources;
	/** By row number of the span. */
	readonly #texts = new Map<number, Texts>();
	readonly #outdated = new Set<string>();
	readonly #chosen = new Map<number, ChosenTexts>();

	constructor(shards: ShardReader, sources: Sources) {
		this.#shards = shards;
		this.#sources = sources;
	}

	/** Log records came to this span. */
	outdate(trace: TraceKey, spanId: string): void {
		this.#outdated.add(`${keyOf(trace)} ${spanId}`);
	}

	async choose(traces: readonly TraceWithTexts[]): Promise<void> {
		for (let open = traces; open.length > 0; ) {
			const missing = new Map<number, MissingText>();
			const left: TraceWithTexts[] = [];
			for (const trace of open) {
				const wanted = this.#tryToChoose(trace);
				if (wanted.length > 0) left.push(trace);
				for (const { id, spanId } of wanted) {
					const row = present(trace.rows.get(id), "the row of a stored span");
					missing.set(id, { row, key: trace.key, spanId });
				}
			}
			const contents = await readContents(
				this.#shards,
				[...missing.values()].map(({ row }) => row),
			);
			for (const [id, { key, spanId }] of missing) {
				const content = contents.get(id);
				const logs = this.#sources.logs.find(key, spanId);
				// A span whose content is gone contributes no text to its trace.
				this.#texts.set(id, content === undefined ? {} : this.#sources.readTexts({ ...content, logs }));
			}
			open = left;
		}
	}

	/** After `choose`: the texts of the trace with this root. */
	of(root: SpanNode): ChosenTexts {
		const chosen = this.#chosen.get(root.id);
		if (chosen === undefined) throw new Error(`no texts were chosen for the trace of span ${root.id}`);
		return chosen;
	}

	/** What the row of the span says of its texts; undefined where they were not looked at. */
	bitsOf({ id }: SpanNode): number | undefined {
		const texts = this.#texts.get(id);
		return texts && textBits(texts);
	}

	/** @returns spans of which content has to be read first */
	#tryToChoose({ key, root, nodes, rows, before }: TraceWithTexts): SpanNode[] {
		const missing = new Set<SpanNode>();
		const byId = new Map(nodes.map((node) => [node.id, node]));
		const find = (id: number) => {
			const node = byId.get(id);
			if (node === undefined) throw new Error(`span ${id} is not of its trace`);
			return node;
		};
		const presence = (node: SpanNode): Texts => {
			const known = this.#known(key, node);
			if (known !== undefined) return known;
			const row = this.#outdated.has(`${keyOf(key)} ${node.spanId}`) ? undefined : rows.get(node.id);
			const said = row && presenceOf(row.texts);
			if (said === undefined) missing.add(node);
			return said ?? {};
		};
		const chosen = chooseTexts(undefined, {
			root,
			added: [],
			all: () => nodes.filter((node) => node.kind === LLM),
			byId: find,
			textsOf: presence,
		});
		if (missing.size > 0) return [...missing];
		const text = (id: number | null, side: "input" | "output", stored: number | null, shown: string | null) => {
			if (id === null) return null;
			const node = find(id);
			const known = this.#known(key, node);
			if (known !== undefined) return shownText(known[side]);
			if (id === stored) return shown;
			missing.add(node);
			return null;
		};
		const firstInput = text(chosen.inputSpan, "input", before?.input_span ?? null, before?.first_input ?? null);
		const lastOutput = text(chosen.outputSpan, "output", before?.output_span ?? null, before?.last_output ?? null);
		if (missing.size === 0) this.#chosen.set(root.id, { ...chosen, firstInput, lastOutput });
		return [...missing];
	}

	/** The texts of a span of the batch, or of one whose content was read. */
	#known(key: TraceKey, node: SpanNode): Texts | undefined {
		const known = this.#texts.get(node.id);
		if (known !== undefined || node.source === undefined) return known;
		const texts = node.source.texts(this.#sources.logs.find(key, node.spanId));
		this.#texts.set(node.id, texts);
		return texts;
	}
}

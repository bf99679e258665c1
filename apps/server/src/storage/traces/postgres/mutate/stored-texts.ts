import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { LLM } from "#storage/traces/totals/span-kinds.ts";
import { type SpanNode, toHex } from "#storage/traces/totals/span-node.ts";
import { chooseTexts, type Texts, type TraceTexts } from "#storage/traces/totals/trace-texts.ts";
import { keysOfBlocks } from "../periods.ts";
import { readLogs } from "../write/log-rows.ts";
import type { TraceSpan } from "./traces.ts";

/** First input and last output of a trace with these spans. Reads the content of as few spans as possible. */
export async function chooseStoredTexts(
	client: ClientBase,
	projectId: number,
	spans: readonly TraceSpan[],
	root: SpanNode,
): Promise<TraceTexts> {
	const byId = new Map(spans.map((span) => [span.id, span]));
	const find = (id: number) => {
		const span = byId.get(id);
		if (span === undefined) throw new Error(`span row ${id} is not of its trace`);
		return span;
	};
	const llm = spans.map(({ node }) => node).filter((node) => node.kind === LLM);
	const known = new Map<number, Texts>();
	for (let ahead = 1; ; ahead *= 4) {
		const unknown: number[] = [];
		const texts = chooseTexts(undefined, {
			root,
			added: [],
			all: () => llm,
			byId: (id) => find(id).node,
			textsOf: ({ id }) => {
				const found = known.get(id);
				if (found === undefined) unknown.push(id);
				return found ?? {};
			},
		});
		if (unknown.length === 0) return texts;
		const wanted = [...new Set(unknown)].slice(0, ahead).map(find);
		for (const [id, found] of await readTexts(client, projectId, wanted)) known.set(id, found);
	}
}

interface Contents {
	readonly id: number;
	readonly data: Uint8Array;
	readonly ids: readonly string[];
	readonly ordinals: readonly number[];
}

/**
 * Texts of spans of one trace. A span's place is read together with its block: the block may hold spans of other
 * traces, and is packed anew when these are deleted.
 */
async function readTexts(
	client: ClientBase,
	projectId: number,
	spans: readonly TraceSpan[],
): Promise<Map<number, Texts>> {
	const { rows } = await client.query<Contents>(
		`select blocks.id, blocks.data, array_agg(spans.id) as ids, array_agg(spans.ordinal) as ordinals
		from spans join blocks on blocks.id = spans.block_id
		where spans.id = any($1::bigint[]) and spans.start_micros = any($2::bigint[])
			and blocks.id = any($3::bigint[]) and blocks.month = any($4::bigint[])
		group by blocks.id, blocks.month`,
		[
			spans.map(({ id }) => id),
			[...new Set(spans.map((span) => span.start_micros))],
			[...new Set(spans.map((span) => span.block_id))],
			keysOfBlocks(spans.map((span) => span.start_micros)),
		],
	);
	const contents = new Map(
		rows.flatMap(({ id: blockId, data, ids, ordinals }) => {
			const block = readBlock(Number(blockId), data);
			return ids.map((id, index) => [Number(id), block[present(ordinals[index], "the place of a span")]] as const);
		}),
	);
	const logsOf = await readLogs(
		client,
		spans.slice(0, 1).map((span) => toHex(span.trace_id)),
	);
	const texts = new Map<number, Texts>();
	for (const { id, node, trace_id } of spans) {
		const content = contents.get(id);
		// A damaged span contributes no text to its trace.
		if (content === undefined) {
			texts.set(id, {});
			continue;
		}
		texts.set(id, readStoredTexts(contentOf(content, logsOf({ projectId, traceId: toHex(trace_id) }, node.spanId))));
	}
	return texts;
}

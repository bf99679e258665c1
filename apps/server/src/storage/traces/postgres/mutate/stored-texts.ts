import type { ClientBase } from "pg";
import { readStoredTexts } from "../../span-meaning.ts";
import { LLM } from "../../totals/span-kinds.ts";
import type { SpanNode } from "../../totals/span-node.ts";
import { chooseTexts, type Texts, type TraceTexts } from "../../totals/trace-texts.ts";
import { SpanContents } from "../read/span-contents.ts";
import type { TraceSpan } from "./traces.ts";

/** First input and last output of a trace with these spans. Reads the content of as few as it can. */
export async function chooseStoredTexts(
	client: Pick<ClientBase, "query">,
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
	const contents = new SpanContents(client);
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
		for await (const { row, content } of contents.read([...new Set(unknown)].slice(0, ahead).map(find)))
			known.set(row.id, readStoredTexts(content));
	}
}

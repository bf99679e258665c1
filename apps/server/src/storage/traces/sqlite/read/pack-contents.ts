import { present } from "#base/present.ts";
import type { SpanContent, StoredSpan } from "#storage/traces/trace-store.ts";

/** Copies the content of spans into one new buffer, which can be transferred to another thread without a copy. */
export function packContents(spans: readonly StoredSpan[]): { spans: StoredSpan[]; buffer: ArrayBuffer } {
	const placed = new Map<Uint8Array, number>();
	let length = 0;
	for (const { content } of spans)
		for (const bytes of partsOf(content)) {
			if (placed.has(bytes)) continue;
			placed.set(bytes, length);
			length += bytes.length;
		}
	const buffer = new ArrayBuffer(length);
	const all = new Uint8Array(buffer);
	for (const [bytes, offset] of placed) all.set(bytes, offset);
	const moved = (bytes: Uint8Array) =>
		new Uint8Array(buffer, present(placed.get(bytes), "the place of a span's content"), bytes.length);
	const packed = spans.map(({ summary, content }) => ({
		summary,
		content: {
			...content,
			span: moved(content.span),
			scope: moved(content.scope),
			resource: moved(content.resource),
			logs: content.logs.map(moved),
		},
	}));
	return { spans: packed, buffer };
}

function partsOf(content: SpanContent): Uint8Array[] {
	return [content.span, content.scope, content.resource, ...content.logs];
}

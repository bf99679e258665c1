import { type AnyValue, decodeLogRecord, decodeSpan, type KeyValue } from "@spanward/otlp";
import type { SpanContent } from "../trace-store.ts";

/** The words of a query in lower case; a span matches when all of them occur in its text. */
export function wordsOf(query: string): string[] {
	return [
		...new Set(
			query
				.toLowerCase()
				.split(/\s+/)
				.filter((word) => word !== ""),
		),
	];
}

/** Whether the word is a whole span id or trace id: it may occur in a text, or be the span's own id. */
export function isIdLike(word: string): boolean {
	return /^([0-9a-f]{16}|[0-9a-f]{32})$/.test(word);
}

/**
 * Whether all words occur in the span: in its name, attribute values, events, status message or log records, or as its
 * span id or trace id. Most spans are ruled out by searching their bytes, which contain every text unchanged.
 */
export function containsWords(content: SpanContent, ids: readonly string[], words: readonly string[]): boolean {
	const open = words.filter((word) => !ids.includes(word));
	if (open.length === 0) return true;
	const raw = [content.span, ...content.logs].map(toLowerText).join("\n");
	if (!open.every((word) => raw.includes(word))) return false;
	const text = searchableText(content, () => content.logs).toLowerCase();
	return open.every((word) => text.includes(word));
}

function toLowerText(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").toLowerCase();
}

/** All texts of a span, one per line. */
export function searchableText(
	content: SpanContent,
	logsOf: (traceId: string, spanId: string) => readonly Uint8Array[],
): string {
	const span = decodeSpan(content.span);
	const texts = [span.name, span.status.message];
	addAttributes(span.attributes, texts);
	for (const event of span.events) {
		texts.push(event.name);
		addAttributes(event.attributes, texts);
	}
	for (const link of span.links) addAttributes(link.attributes, texts);
	for (const bytes of logsOf(span.traceId, span.spanId)) {
		const record = decodeLogRecord(bytes);
		texts.push(record.eventName);
		addValue(record.body, texts);
		addAttributes(record.attributes, texts);
	}
	return texts.join("\n");
}

function addAttributes(attributes: readonly KeyValue[], texts: string[]): void {
	for (const { value } of attributes) addValue(value, texts);
}

function addValue(value: AnyValue, texts: string[]): void {
	if (value.type === "string") texts.push(value.value);
	else if (value.type === "array") for (const item of value.value) addValue(item, texts);
	else if (value.type === "kvlist") addAttributes(value.value, texts);
}

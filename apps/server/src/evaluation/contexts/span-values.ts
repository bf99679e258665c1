import type { Message, Plain, RawValue, Semantic } from "@spanward/semconv";
import { fromJsonText, toJsonText } from "#http/json-values.ts";
import { toWirePlain } from "#http/wire-plain.ts";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import type { Instant } from "#storage/traces/trace-store.ts";

/** Parts of contexts that come from one span. */

const STATUS = ["UNSET", "OK", "ERROR"] as const;

export interface ContextToolCall {
	readonly id?: string;
	readonly name: string | null;
	readonly arguments: unknown;
	/** Of calls that were carried out. */
	readonly result?: unknown;
	readonly error?: string | null;
}

export function statusOf({ summary }: UnderstoodSpan): string {
	return STATUS[summary.statusCode] ?? "UNSET";
}

/** Null while it runs. */
export function latencyOf({ summary }: UnderstoodSpan): number | null {
	return summary.heardMicros === undefined ? milliseconds(summary) : null;
}

export function milliseconds({ start, end }: { readonly start: Instant; readonly end: Instant }): number {
	return ((end.micros - start.micros) * 1_000 + (end.nanos - start.nanos)) / 1e6;
}

export function errorOf({
	summary,
	meaning,
}: UnderstoodSpan): { readonly type: string | null; readonly message: string } | null {
	const { error } = meaning;
	if (error === undefined && summary.statusCode !== 2) return null;
	const message = error?.message ?? error?.raw_status_message ?? summary.statusMessage;
	return { type: error?.type ?? null, message };
}

/** JSON is parsed; messages where nothing else was sent. */
export function inputOf({ meaning }: UnderstoodSpan): unknown {
	return parsed(meaning.input) ?? messagesOf(meaning.input_messages) ?? meaning.input_text ?? null;
}

export function outputOf({ meaning }: UnderstoodSpan): unknown {
	return parsed(meaning.output) ?? messagesOf(meaning.output_messages) ?? meaning.output_text ?? null;
}

export function messagesOf(messages: readonly Message[] | undefined): readonly object[] | undefined {
	return messages?.map(({ role, text, name, tool_calls, tool_call_id, image_urls, reasoning }) => ({
		role,
		content: text ?? null,
		...(name === undefined ? {} : { name }),
		...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map(toCall) }),
		...(tool_call_id === undefined ? {} : { tool_call_id }),
		...(image_urls === undefined ? {} : { image_urls }),
		...(reasoning === undefined ? {} : { reasoning }),
	}));
}

function toCall({ id, name, arguments: given }: NonNullable<Message["tool_calls"]>[number]): ContextToolCall {
	return { ...(id === undefined ? {} : { id }), name: name ?? null, arguments: toWirePlain(given ?? {}) };
}

/** The calls that a model asked for, or the one that a tool's span carried out. */
export function toolCallsOf(span: UnderstoodSpan): readonly ContextToolCall[] {
	const { summary, meaning } = span;
	if (summary.kind === "TOOL") {
		const { name, call_id, parameters } = meaning.tool ?? {};
		return [
			{
				...(call_id === undefined ? {} : { id: call_id }),
				name: name ?? summary.name,
				arguments: parsed(meaning.input) ?? toWirePlain(parameters ?? {}),
				result: outputOf(span),
				error: errorOf(span)?.message ?? null,
			},
		];
	}
	return (meaning.output_messages ?? []).flatMap(({ tool_calls = [] }) => tool_calls.map(toCall));
}

export function toolsOf({ tool_schemas, tool_definitions }: Semantic): readonly unknown[] {
	return tool_schemas?.map(toWirePlain) ?? tool_definitions?.map((name) => ({ name })) ?? [];
}

export function documentsOf({ documents = [] }: Semantic): readonly object[] {
	return documents.map(({ id, content, score, metadata }) => ({
		id: id ?? null,
		content: content ?? null,
		score: score ?? null,
		metadata: toWirePlain(metadata ?? null),
	}));
}

/** Attributes by key, as sent. */
export function attributesOf({ input }: UnderstoodSpan): Readonly<Record<string, unknown>> {
	const attributes: Record<string, unknown> = Object.create(null);
	for (const [key, value] of input.attributes) attributes[key] = toWirePlain(value);
	return attributes;
}

export function metadataOf({ metadata, metadata_flattened }: Semantic): unknown {
	const value = metadata ?? metadata_flattened;
	return value === undefined ? null : parsed({ attribute: "metadata", value });
}

/** A conversation as a person reads it. */
export function conversationText(messages: readonly Message[]): string {
	return messages
		.map(({ role, text, tool_calls = [] }) => {
			const calls = tool_calls.map(
				({ name, arguments: given }) => `→ ${name ?? "tool"}(${jsonText(toWirePlain(given ?? {}))})`,
			);
			return `${role}: ${[...(text === undefined ? [] : [text]), ...calls].join("\n")}`;
		})
		.join("\n\n");
}

/** The messages that the span was given and gave, or the texts of both as such. */
export function conversationOf({ meaning }: UnderstoodSpan): readonly Message[] {
	const { conversation, input_messages, output_messages, input_text, output_text } = meaning;
	const given = conversation ?? input_messages;
	if (given !== undefined && (conversation !== undefined || output_messages !== undefined)) {
		return [...given, ...(conversation === undefined ? (output_messages ?? []) : [])];
	}
	return [
		...(input_text === undefined ? [] : [{ role: "user", text: input_text }]),
		...(output_text === undefined ? [] : [{ role: "assistant", text: output_text }]),
	];
}

/** A text as it is, everything else as JSON. */
export function jsonText(value: unknown): string {
	return typeof value === "string" ? value : (toJsonText(value) ?? "");
}

function parsed(raw: RawValue | undefined): unknown {
	if (raw === undefined) return undefined;
	const { value } = raw;
	if (typeof value !== "string") return toWirePlain(value as Plain);
	return parsedText(value);
}

/** JSON objects and lists; any other text stays what it is. */
export function parsedText(text: string): unknown {
	if (!/^\s*[[{]/.test(text)) return text;
	try {
		return fromJsonText(text);
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof RangeError) return text;
		throw error;
	}
}

import type { Message, Plain, RawValue, Semantic } from "@spanward/semconv";
import { UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { toJsonText } from "#http/json-values.ts";
import { toWirePlain } from "#http/wire-plain.ts";
import { understandSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan } from "#storage/traces/trace-store.ts";
import { getSpan } from "../spans/queries.ts";
import { parseStructure } from "./columns.ts";
import { type Content, toContent } from "./content.ts";
import type { SpanLink } from "./version-writer.ts";

/** Bytes of all examples that one request makes. */
const MAX_BYTES = 64 * 1_024 * 1_024;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Examples of spans by global or hex id, each once, in the order of the ids. The actor enters their projects.
 * @param other what each has in place of what its span gives
 * @throws UserError 404, 409 when a hex id is ambiguous, 413 when the examples are too large together
 */
export async function examplesOfSpans(
	actor: Actor,
	ids: readonly string[],
	projectId: number | undefined,
	other: Partial<SpanParts> = {},
): Promise<{ content: Content; span: SpanLink }[]> {
	const examples = new Map<number, { content: Content; span: SpanLink }>();
	let bytes = 0;
	for (const id of ids) {
		const stored = await getSpan(actor.traces, id, projectId);
		const rowId = stored.summary.id;
		if (examples.has(rowId)) continue;
		actor.enter(stored.summary.projectId, "viewer");
		const example = exampleOfSpan(stored, other);
		const { content } = example;
		bytes += content.input.length + content.output.length + content.metadata.length;
		if (bytes > MAX_BYTES) {
			throw new UserError(413, "spans_too_large", "These spans are too large for one request; send fewer of them.");
		}
		examples.set(rowId, example);
	}
	return [...examples.values()];
}

/**
 * @param other what it has in place of what the span gives
 * @throws UserError 422 when the example nests too deeply or is too large
 */
export function exampleOfSpan(
	stored: StoredSpan,
	other: Partial<SpanParts> = {},
): { content: Content; span: SpanLink } {
	const { id: rowId, traceId, spanId, projectId } = stored.summary;
	const { input, output, metadata } = { ...partsOfSpan(stored), ...other };
	const content = toContent(input, output, metadata, `span ${spanId}`);
	return { content, span: { rowId, traceId, spanId, projectId } };
}

/** What becomes of a span in an example. */
export interface SpanParts {
	readonly input: JsonObject;
	readonly output: JsonObject;
	readonly metadata: JsonObject;
}

export function partsOfSpan(stored: StoredSpan): SpanParts {
	const { meaning } = understandSpan(stored);
	return { input: inputOf(meaning), output: outputOf(meaning), metadata: metadataOf(meaning) };
}

function inputOf(meaning: Semantic): JsonObject {
	const { input_messages, tool_schemas, input, input_text, tool } = meaning;
	if (input_messages !== undefined && input_messages.length > 0) {
		return {
			messages: input_messages.map(toChatMessage),
			...(tool_schemas === undefined ? {} : { tools: tool_schemas.map(toWirePlain) }),
		};
	}
	return objectOf("input", input) ?? parametersOf(tool) ?? textOf("input", input_text);
}

function outputOf({ output_messages, output, output_text, documents }: Semantic): JsonObject {
	if (output_messages !== undefined && output_messages.length > 0) {
		return { messages: output_messages.map(toChatMessage) };
	}
	if (output === undefined && documents !== undefined) return { documents: plainOf(documents) };
	return objectOf("output", output) ?? textOf("output", output_text);
}

function metadataOf({ kind, model, metadata }: Semantic): JsonObject {
	return {
		...(metadata === undefined ? {} : objectOf("metadata", { attribute: "metadata", value: metadata })),
		span_kind: kind,
		...(model === undefined ? {} : { model }),
	};
}

/** In the format of OpenAI's chat completions, so that a download can be used for fine-tuning. */
function toChatMessage({ role, text, tool_calls, tool_call_id, name }: Message): JsonObject {
	return {
		role,
		content: text ?? null,
		...(name === undefined ? {} : { name }),
		...(tool_call_id === undefined ? {} : { tool_call_id }),
		...(tool_calls === undefined
			? {}
			: {
					tool_calls: tool_calls.map((call) => ({
						...(call.id === undefined ? {} : { id: call.id }),
						type: "function",
						function: { name: call.name ?? "", arguments: argumentsText(call.arguments) },
					})),
				}),
	};
}

function argumentsText(value: Plain | undefined): string {
	if (value === undefined) return "{}";
	return typeof value === "string" ? value : toJsonText(toWirePlain(value));
}

/** An object stays as it is, another value becomes the member `key` of one. */
function objectOf(key: string, raw: RawValue | undefined): JsonObject | undefined {
	if (raw === undefined) return undefined;
	const value = typeof raw.value === "string" ? parseStructure(raw.value) : toWirePlain(raw.value);
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	return isObject ? { ...value } : { [key]: value };
}

function parametersOf(tool: Semantic["tool"]): JsonObject | undefined {
	if (tool?.parameters === undefined) return undefined;
	return objectOf("input", { attribute: "tool.parameters", value: tool.parameters });
}

function textOf(key: string, text: string | undefined): JsonObject {
	return text === undefined ? {} : { [key]: text };
}

function plainOf(value: Semantic["documents"]): unknown {
	return JSON.parse(
		toJsonText(value?.map((document) => ({ ...document, metadata: toWirePlain(document.metadata ?? null) }))),
	);
}

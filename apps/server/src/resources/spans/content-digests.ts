import { hash } from "node:crypto";
import type { z } from "zod";
import type { ContentDigests } from "./schemas.ts";
import type { Semantic } from "./semantic-schema.ts";

type WireSemantic = z.output<typeof Semantic>;
type WireMessage = NonNullable<WireSemantic["input_messages"]>[number];

/** Hexadecimal digits: enough to tell the spans of two traces apart. */
const DIGITS = 16;

/**
 * Digests of what a span was given and gave, which are equal for equal content; null for what it does not have. Messages
 * stand for the values that they were read from, and ids of calls are left out, as they differ with each call.
 */
export function toContentDigests(semantic: WireSemantic): z.output<typeof ContentDigests> {
	const { input_messages: given, output_messages: answered, conversation, tool, error } = semantic;
	return {
		input: digest(
			given?.map(withoutIds) ?? conversation?.map(withoutIds) ?? semantic.input?.value ?? semantic.input_text,
			semantic.prompt_template,
			semantic.embeddings?.texts,
			tool && { ...tool, call_id: undefined },
		),
		output: digest(
			answered?.map(withoutIds) ?? semantic.output?.value ?? semantic.output_text,
			semantic.documents,
			error && { type: error.type, message: error.message },
		),
		parameters: digest(semantic.invocation_parameters, semantic.tool_schemas ?? semantic.tool_definitions),
	};
}

function withoutIds({ tool_call_id: _id, tool_calls: calls, ...message }: WireMessage) {
	return { ...message, tool_calls: calls?.map((call) => ({ ...call, id: undefined })) };
}

function digest(...parts: readonly unknown[]): string | null {
	if (parts.every((part) => part === undefined)) return null;
	// Not for secrets: only whether two contents are equal.
	return hash("sha1", JSON.stringify(parts)).slice(0, DIGITS);
}

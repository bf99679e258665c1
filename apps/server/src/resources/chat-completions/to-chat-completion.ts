import type { z } from "zod";
import type { CallResult } from "#models/call-model.ts";
import type { ModelAnswer, ModelUsage, ToolCall } from "#models/model-request.ts";
import type { ChatCompletion } from "./schemas.ts";

type Wire = z.output<typeof ChatCompletion>;

export function toChatCompletion(id: string, created: number, { answer, warnings }: CallResult): Wire {
	const { text, reasoning, tool_calls: calls, usage, model } = answer;
	return {
		...{ id, object: "chat.completion", created, model },
		choices: [
			{
				index: 0,
				message: {
					role: "assistant",
					content: text === "" && calls.length > 0 ? null : text,
					...(reasoning === "" ? {} : { reasoning_content: reasoning }),
					refusal: null,
					...(calls.length === 0 ? {} : { tool_calls: calls.map(toWireCall) }),
				},
				logprobs: null,
				finish_reason: finishOf(answer),
			},
		],
		...(usage === undefined ? {} : { usage: toWireUsage(usage) }),
		...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
	};
}

export function toWireCall({ id, name, arguments: json }: ToolCall) {
	return { id, type: "function" as const, function: { name, arguments: json } };
}

const FINISH_REASONS = ["stop", "length", "tool_calls", "content_filter"] as const;

/** Clients know these words only; another one is a provider's own for having come to an end. */
export function finishOf({
	finish_reason: reason,
}: Pick<ModelAnswer, "finish_reason">): (typeof FINISH_REASONS)[number] {
	return FINISH_REASONS.find((known) => known === reason) ?? "stop";
}

export function toWireUsage({ input, output, cache_read = 0, reasoning = 0 }: ModelUsage): NonNullable<Wire["usage"]> {
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cache_read },
		completion_tokens_details: { reasoning_tokens: reasoning },
	};
}

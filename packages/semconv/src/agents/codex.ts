// OpenAI's Codex CLI: https://developers.openai.com/codex/config-advanced#observability-and-telemetry, and what version
// 0.171.0 was seen to send.
import { countValue, firstText, textValue } from "../attribute-values.ts";
import type { Attributes, Plain } from "../model.ts";
import { type AgentEvent, TURN } from "./agent-event.ts";
import { type AgentSender, CHAT, DECIDED, type EventRule, failure, messageOf, titled } from "./agent-sender.ts";

/** RFC 9562, 5.7: begins with the milliseconds since 1970. */
const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Of an answer's stream only the last event is kept, which counts its tokens, and failures. */
const STREAM: EventRule = {
	as: "model",
	when: (attributes) => attributes.has("input_token_count") || attributes.has("error.message"),
	title: CHAT,
	added: usage,
	error: (attributes) => firstText(attributes, ["error.message"]),
};

/** Events name no turns, and the prompt of an event would depend on what has come before: a session is one trace. */
export const codex: AgentSender = {
	name: "Codex",
	prefix: "codex.",
	session: ["conversation.id"],
	turn: [],
	hasSessionSpan: true,
	user: ["user.email", "user.account_id"],
	events: {
		conversation_starts: { as: "turn", title: () => "Codex", start: startOfConversation },
		user_prompt: {
			as: "prompt",
			title: () => "prompt",
			renamed: { prompt: "input.value" },
			messages: (attributes) => [messageOf(attributes, "prompt", TURN, "gen_ai.user.message")],
		},
		api_request: {
			as: "step",
			title: titled("request", "endpoint"),
			duration: ["duration_ms"],
			error: requestError,
		},
		sse_event: STREAM,
		websocket_event: STREAM,
		tool_result: {
			as: "tool",
			title: (attributes) => textValue(attributes.get("tool_name")),
			key: ["call_id"],
			duration: ["duration_ms"],
			renamed: { arguments: "gen_ai.tool.call.arguments", output: "gen_ai.tool.call.result" },
			added: (attributes) => ({
				"gen_ai.tool.name": attributes.get("tool_name"),
				"gen_ai.tool.call.id": attributes.get("call_id"),
			}),
			error: failure(["error.message"]),
		},
		tool_decision: {
			as: "decision",
			title: DECIDED,
			key: ["call_id"],
			added: (attributes) => ({ "output.value": attributes.get("decision") }),
		},
	},
};

/** A conversation that is resumed starts again under the same id, and is the same span. */
function startOfConversation({ attributes, nanos }: AgentEvent): bigint | undefined {
	const match = UUID_V7.exec(textValue(attributes.get("conversation.id")) ?? "");
	if (match === null) return undefined;
	const start = BigInt(`0x${match[1]}${match[2]}`) * 1_000_000n;
	// An id of the future was not made then.
	return start > 0n && start <= nanos ? start : undefined;
}

function requestError(attributes: Attributes): string | undefined {
	const message = firstText(attributes, ["error.message"]);
	if (message !== undefined) return message;
	const status = countValue(attributes.get("http.response.status_code"));
	return status !== undefined && status >= 400 ? `the answer's status is ${status}` : undefined;
}

function usage(attributes: Attributes): Readonly<Record<string, Plain | undefined>> {
	const count = (name: string) => countValue(attributes.get(name));
	return {
		"gen_ai.provider.name": "openai",
		"gen_ai.request.model": attributes.get("model"),
		"gen_ai.usage.input_tokens": count("input_token_count"),
		"gen_ai.usage.output_tokens": count("output_token_count"),
		"gen_ai.usage.cache_read.input_tokens": count("cached_token_count"),
		"gen_ai.usage.cache_creation.input_tokens": count("cache_write_token_count") || undefined,
		"gen_ai.usage.reasoning.output_tokens": count("reasoning_token_count"),
	};
}

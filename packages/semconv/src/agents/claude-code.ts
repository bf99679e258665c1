// Claude Code: https://code.claude.com/docs/en/monitoring-usage#events, and what version 2.1.197 was seen to send.
import { countValue, firstText, textValue } from "../attribute-values.ts";
import type { Attributes, Plain } from "../model.ts";
import { TURN } from "./agent-event.ts";
import { type AgentSender, CHAT, DECIDED, failure, messageOf } from "./agent-sender.ts";

/** Requests that answer the prompt; others make titles, summaries and the like, or belong to subagents. */
const MAIN = /^(?:sdk|repl_main_thread)/;

const REQUEST = {
	as: "model",
	title: CHAT,
	key: ["request_id"],
	duration: ["duration_ms"],
} as const;

export const claudeCode: AgentSender = {
	name: "Claude Code",
	prefix: "claude_code.",
	session: ["session.id"],
	turn: ["prompt.id"],
	events: {
		user_prompt: { as: "turn", title: () => "Claude Code", renamed: { prompt: "input.value" } },
		api_request: { ...REQUEST, added: usage },
		api_error: {
			...REQUEST,
			added: (attributes) => ({
				"gen_ai.provider.name": "anthropic",
				"gen_ai.request.model": attributes.get("model"),
				"error.type": textValue(attributes.get("status_code")),
			}),
			error: (attributes) => firstText(attributes, ["error"]) ?? "the request failed",
		},
		assistant_response: {
			as: "answer",
			title: () => undefined,
			messages: (attributes) => {
				const request = textValue(attributes.get("request_id"));
				const isMain = MAIN.test(textValue(attributes.get("query_source")) ?? "");
				return [
					request === undefined ? undefined : messageOf(attributes, "response", ["model", request], "gen_ai.choice"),
					isMain ? messageOf(attributes, "response", TURN, "gen_ai.choice") : undefined,
				];
			},
		},
		tool_result: {
			as: "tool",
			title: (attributes) => textValue(attributes.get("tool_name")),
			key: ["tool_use_id"],
			duration: ["duration_ms"],
			renamed: { tool_input: "gen_ai.tool.call.arguments" },
			added: (attributes) => ({
				"gen_ai.tool.name": attributes.get("tool_name"),
				"gen_ai.tool.call.id": attributes.get("tool_use_id"),
			}),
			error: failure(["error", "error_type"]),
		},
		tool_decision: {
			as: "decision",
			title: DECIDED,
			key: ["tool_use_id"],
			renamed: { tool_parameters: "input.value" },
			added: (attributes) => ({ "output.value": attributes.get("decision") }),
		},
		api_retries_exhausted: {
			as: "step",
			title: () => "retries exhausted",
			duration: ["total_retry_duration_ms"],
			error: (attributes) => firstText(attributes, ["error"]) ?? "retries exhausted",
		},
		compaction: {
			as: "step",
			title: () => "compaction",
			duration: ["duration_ms"],
			error: failure(["error"]),
		},
	},
};

/** Tokens read from and written to the cache are none of `input_tokens` at Anthropic, but are in GenAI's convention. */
function usage(attributes: Attributes): Readonly<Record<string, Plain | undefined>> {
	const count = (name: string) => countValue(attributes.get(name));
	const [sent, read, written] = [count("input_tokens"), count("cache_read_tokens"), count("cache_creation_tokens")];
	return {
		"gen_ai.provider.name": "anthropic",
		"gen_ai.request.model": attributes.get("model"),
		"gen_ai.usage.input_tokens": sent === undefined ? undefined : sent + (read ?? 0) + (written ?? 0),
		"gen_ai.usage.output_tokens": count("output_tokens"),
		"gen_ai.usage.cache_read.input_tokens": read,
		"gen_ai.usage.cache_creation.input_tokens": written,
		"gen_ai.usage.cost": attributes.get("cost_usd"),
	};
}

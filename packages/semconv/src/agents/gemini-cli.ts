// Gemini CLI: https://geminicli.com/docs/cli/telemetry#logs, and what version 0.61.0 was seen to send.
import { countValue, firstText, textValue } from "../attribute-values.ts";
import { decoded, field, isList, isObject, renderJson } from "../json.ts";
import type { Attributes, Plain } from "../model.ts";
import { type AgentMessage, TURN } from "./agent-event.ts";
import { type AgentSender, CHAT, failure } from "./agent-sender.ts";

const CALL = {
	as: "model",
	title: CHAT,
	duration: ["duration_ms"],
} as const;

export const geminiCli: AgentSender = {
	name: "Gemini CLI",
	prefix: "gemini_cli.",
	session: ["session.id"],
	turn: ["prompt_id"],
	user: ["user.email"],
	events: {
		user_prompt: { as: "turn", title: () => "Gemini CLI", renamed: { prompt: "input.value" } },
		api_response: {
			...CALL,
			renamed: { response_text: "gen_ai.output.messages" },
			added: usage,
			messages: (attributes) => [answerOf(attributes)],
		},
		api_error: {
			...CALL,
			added: (attributes) => ({
				"gen_ai.provider.name": "gcp.gen_ai",
				"gen_ai.request.model": attributes.get("model"),
				"error.type": textValue(attributes.get("status_code")),
			}),
			error: (attributes) => firstText(attributes, ["error.message", "error"]) ?? "the request failed",
		},
		tool_call: {
			as: "tool",
			title: (attributes) => textValue(attributes.get("function_name")),
			duration: ["duration_ms"],
			renamed: { function_args: "gen_ai.tool.call.arguments" },
			added: (attributes) => ({ "gen_ai.tool.name": attributes.get("function_name") }),
			error: failure(["error.message", "error", "error_type"]),
		},
	},
};

/** The model's thoughts are no part of the answer's tokens at Google, but are in GenAI's convention. */
function usage(attributes: Attributes): Readonly<Record<string, Plain | undefined>> {
	const count = (name: string) => countValue(attributes.get(name));
	const [answer, thoughts] = [count("output_token_count"), count("thoughts_token_count")];
	const parts = partsOf(attributes);
	return {
		"gen_ai.provider.name": "gcp.gen_ai",
		"gen_ai.request.model": attributes.get("model"),
		"gen_ai.response.finish_reasons": attributes.get("finish_reasons"),
		"gen_ai.usage.input_tokens": count("input_token_count"),
		"gen_ai.usage.output_tokens": answer === undefined ? undefined : answer + (thoughts ?? 0),
		"gen_ai.usage.cache_read.input_tokens": count("cached_content_token_count"),
		"gen_ai.usage.reasoning.output_tokens": thoughts,
		"gen_ai.output.messages":
			parts.length === 0 ? undefined : renderJson([{ role: "assistant", parts: parts.map(toPart) }]),
	};
}

/** The answer to the prompt, which the turn shows; other roles are of routers and of summaries. */
function answerOf(attributes: Attributes): AgentMessage | undefined {
	if (textValue(attributes.get("role")) !== "main") return undefined;
	const text = partsOf(attributes)
		.flatMap((part) => ("text" in part ? [part.text] : []))
		.join("");
	return text === "" ? undefined : { of: TURN, eventName: "gen_ai.choice", text };
}

type Part = { readonly text: string } | { readonly id?: string; readonly name: string; readonly args: Plain };

/** The parts of an answer, whose texts come in pieces when it is streamed. */
function partsOf(attributes: Attributes): Part[] {
	const answers = decoded(attributes.get("response_text"));
	const parts: Part[] = [];
	for (const part of (isList(answers) ? answers : [answers]).flatMap(candidateParts)) {
		const text = field(part, "text");
		const call = field(part, "functionCall");
		const last = parts.at(-1);
		if (typeof text === "string" && field(part, "thought") !== true) {
			if (last !== undefined && "text" in last) parts[parts.length - 1] = { text: last.text + text };
			else parts.push({ text });
		} else if (isObject(call)) {
			const id = textValue(field(call, "id"));
			const name = textValue(field(call, "name")) ?? "";
			parts.push({ ...(id === undefined ? {} : { id }), name, args: field(call, "args") ?? {} });
		}
	}
	return parts;
}

function candidateParts(answer: Plain | undefined) {
	const candidates = isObject(answer) ? field(answer, "candidates") : undefined;
	const first = isList(candidates) ? candidates[0] : undefined;
	const content = isObject(first) ? field(first, "content") : undefined;
	const parts = isObject(content) ? field(content, "parts") : undefined;
	return isList(parts) ? parts.filter(isObject) : [];
}

function toPart(part: Part): Plain {
	if ("text" in part) return { type: "text", content: part.text };
	const { id, name, args } = part;
	return { type: "tool_call", ...(id === undefined ? {} : { id }), name, arguments: args };
}

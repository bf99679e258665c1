import { piecesOf, splitText } from "../answers.ts";
import {
	type Answer,
	type CallMessage,
	type CallTool,
	type IncomingCall,
	invalid,
	type ModelCall,
	ProviderError,
	type StreamEvent,
	type Wire,
} from "../call.ts";
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from "../json.ts";
import { readDataUrl } from "./images.ts";
import { readToolChoice } from "./openai-chat.ts";
import { checkStrictSchema, errorObject, keyOf, refuse, writeError } from "./openai-errors.ts";
import { namedEvent } from "./sse.ts";

/** Names of this wire by those of Chat Completions. */
const PARAMETERS = {
	temperature: "temperature",
	top_p: "top_p",
	max_tokens: "max_output_tokens",
	tools: "tools",
	tool_choice: "tool_choice",
	parallel_tool_calls: "parallel_tool_calls",
} as const;

/** OpenAI's Responses. */
export const openaiResponses: Wire = {
	name: "openai-responses",
	streamType: "text/event-stream",
	read,
	writeWhole: (call, answer) => writeResponse(call, answer, writeItems(call, answer)),
	writeStream,
	brokenEvent: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"he\n\n',
	writeErrorEvent: (error) => {
		const { message, code, param } = errorObject(error);
		return namedEvent({ type: "error", code: code ?? "server_error", message, param, sequence_number: 99 });
	},
	refuse,
	writeError,
	keyOf,
};

function read({ body, id }: IncomingCall): ModelCall {
	const model = textOf(body["model"]);
	if (model === undefined || model === "") throw invalid("Missing required parameter: 'model'.", "model");
	// Chat Completions' names are a frequent mistake, which the provider refuses.
	for (const name of ["messages", "max_tokens", "max_completion_tokens", "response_format", "seed", "stop"]) {
		if (body[name] !== undefined) {
			throw new ProviderError("unsupported", 400, `Unsupported parameter: '${name}'.`, name);
		}
	}
	const reasoning = objectOf(body["reasoning"]);
	const format = objectOf(objectOf(body["text"])["format"]);
	const parameters = new Map<string, string>();
	for (const [name, own] of Object.entries(PARAMETERS)) {
		if (body[own] !== undefined && body[own] !== null) parameters.set(name, own);
	}
	if (reasoning["effort"] !== undefined) parameters.set("reasoning_effort", "reasoning.effort");
	if (format["type"] === "json_schema") parameters.set("json_schema", "text.format");
	return {
		model,
		isStreamed: body["stream"] === true,
		messages: readInput(body),
		tools: listOf(body["tools"]).map(readTool),
		toolChoice: readToolChoice(body["tool_choice"]),
		schema: readFormat(format),
		maxTokens: numberOf(body["max_output_tokens"]),
		wantsReasoning: Object.keys(reasoning).length > 0 && reasoning["effort"] !== "none",
		parameters,
		streamsUsage: true,
		id,
	};
}

function readInput({ instructions, input }: JsonObject): readonly CallMessage[] {
	const messages: CallMessage[] = [];
	if (typeof instructions === "string") messages.push(message("system", instructions));
	if (typeof input === "string") messages.push(message("user", input));
	const open = new Set<string>();
	for (const [index, item] of listOf(input).map(objectOf).entries()) {
		const read = readItem(item, `input[${index}]`, open);
		if (read !== undefined) messages.push(read);
	}
	if (messages.length === 0) throw invalid("One of 'input' or 'prompt' must be provided.", "input");
	if (open.size > 0) throw invalid(`No tool output found for function call ${Array.from(open)[0]}.`, "input");
	return messages;
}

function message(role: CallMessage["role"], text: string, more: Partial<CallMessage> = {}): CallMessage {
	return { role, text, images: [], toolCalls: [], toolResults: [], ...more };
}

/** `open` has the calls whose results are to come. */
function readItem(item: JsonObject, where: string, open: Set<string>): CallMessage | undefined {
	switch (item["type"] ?? "message") {
		case "message":
			return readMessage(item, where);
		case "function_call": {
			const { call_id: id, name, arguments: json } = item;
			if (typeof id !== "string" || typeof name !== "string" || typeof json !== "string")
				throw invalid("Invalid function call.", where);
			open.add(id);
			return message("assistant", "", { toolCalls: [{ id, name, arguments: json }] });
		}
		case "function_call_output": {
			const id = textOf(item["call_id"]) ?? "";
			if (!open.delete(id)) throw invalid(`No tool call found for function call output with call_id ${id}.`, where);
			const { output } = item;
			return message("tool", typeof output === "string" ? output : JSON.stringify(output), { toolResults: [id] });
		}
		case "reasoning":
			return undefined;
		case "item_reference":
			throw new ProviderError("invalid", 404, `Item with id '${String(item["id"])}' not found.`, where);
		default:
			throw invalid(`Invalid value: '${String(item["type"])}'.`, `${where}.type`);
	}
}

function readMessage(item: JsonObject, where: string): CallMessage {
	const role = item["role"] === "developer" ? "system" : item["role"];
	if (role !== "system" && role !== "user" && role !== "assistant")
		throw invalid(`Invalid value: '${String(role)}'.`, `${where}.role`);
	const { content } = item;
	if (typeof content === "string") return message(role, content);
	const parts = listOf(content).map(objectOf);
	const images = parts.flatMap((part) => {
		if (part["type"] === "input_image") return readDataUrl(part["image_url"]);
		const expected = role === "assistant" ? ["output_text", "refusal"] : ["input_text"];
		if (!expected.includes(String(part["type"])))
			throw invalid(`Invalid value: '${String(part["type"])}'.`, `${where}.content`);
		return [];
	});
	return message(role, parts.map((part) => textOf(part["text"]) ?? "").join(""), { images });
}

function readTool(value: unknown): CallTool {
	const { type, name, parameters, strict } = objectOf(value);
	if (type !== "function" || typeof name !== "string") throw invalid("Invalid tool.", "tools");
	if (strict === true) checkStrictSchema(parameters, `function '${name}'`);
	return { name, schema: objectOf(parameters) };
}

function readFormat({ type, name, schema, strict }: JsonObject): ModelCall["schema"] {
	if (type === "json_object") return "any object";
	if (type !== "json_schema") return undefined;
	if (typeof name !== "string") throw invalid("Missing required parameter: 'text.format.name'.", "text.format.name");
	if (strict === true) checkStrictSchema(schema, "text.format");
	return isObject(schema) ? schema : "any object";
}

function writeItems({ id }: ModelCall, answer: Answer): readonly JsonObject[] {
	const items: JsonObject[] = [];
	if (answer.reasoning !== "") {
		items.push({ id: `rs_${id}`, type: "reasoning", summary: [{ type: "summary_text", text: answer.reasoning }] });
	}
	if (answer.text !== "" || answer.toolCalls.length === 0) {
		const content = [writeContent(answer, answer.text)];
		items.push({ id: `msg_${id}`, type: "message", status: "completed", role: "assistant", content });
	}
	for (const [index, call] of answer.toolCalls.entries()) {
		items.push({
			id: `fc_${id}${index}`,
			type: "function_call",
			status: "completed",
			call_id: call.id,
			name: call.name,
			arguments: call.arguments,
		});
	}
	return items;
}

function writeContent({ isRefusal }: Answer, text: string): JsonObject {
	return isRefusal ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [], logprobs: [] };
}

/** Without an answer's end: of a response that is only beginning. */
function writeResponse(call: ModelCall, answer: Answer, output?: readonly JsonObject[]): JsonObject {
	const reasons: Partial<Record<Answer["finish"], string>> = {
		length: "max_output_tokens",
		content_filter: "content_filter",
	};
	const reason = output === undefined ? undefined : reasons[answer.finish];
	const ended = reason === undefined ? "completed" : "incomplete";
	return {
		id: `resp_${call.id}`,
		object: "response",
		created_at: Math.floor(Date.now() / 1_000),
		status: output === undefined ? "in_progress" : ended,
		background: false,
		error: null,
		incomplete_details: reason === undefined ? null : { reason },
		instructions: null,
		max_output_tokens: call.maxTokens ?? null,
		model: answer.model,
		output: output ?? [],
		parallel_tool_calls: true,
		previous_response_id: null,
		reasoning: { effort: null, summary: null },
		service_tier: "default",
		store: false,
		text: { format: { type: "text" } },
		tool_choice: "auto",
		tools: [],
		top_p: 1,
		temperature: 1,
		truncation: "disabled",
		usage: output === undefined || answer.usage === undefined ? null : writeUsage(answer.usage),
		user: null,
		metadata: {},
	};
}

function* writeStream(call: ModelCall, answer: Answer): Iterable<StreamEvent> {
	let number = 0;
	const event = (type: string, members: JsonObject): StreamEvent => ({
		bytes: namedEvent({ type, sequence_number: number++, ...members }),
	});
	yield event("response.created", { response: writeResponse(call, answer) });
	yield event("response.in_progress", { response: writeResponse(call, answer) });
	const items = writeItems(call, answer);
	for (const [output_index, item] of items.entries()) {
		yield* writeItem(item, answer, output_index, event);
	}
	const response = writeResponse(call, answer, items);
	yield { ...event(`response.${String(response["status"])}`, { response }), part: "final" };
}

type MakeEvent = (type: string, members: JsonObject) => StreamEvent;

function* writeItem(item: JsonObject, answer: Answer, output_index: number, event: MakeEvent): Iterable<StreamEvent> {
	const place = { item_id: item["id"], output_index };
	const added = (members: JsonObject) =>
		event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", ...members } });
	if (item["type"] === "reasoning") {
		yield event("response.output_item.added", { output_index, item: { ...item, summary: [] } });
		const part = { ...place, summary_index: 0 };
		yield event("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } });
		for (const delta of splitText(answer.reasoning))
			yield event("response.reasoning_summary_text.delta", { ...part, delta });
		yield event("response.reasoning_summary_text.done", { ...part, text: answer.reasoning });
		const whole = { type: "summary_text", text: answer.reasoning };
		yield event("response.reasoning_summary_part.done", { ...part, part: whole });
	} else if (item["type"] === "message") {
		yield added({ content: [] });
		const part = { ...place, content_index: 0 };
		yield event("response.content_part.added", { ...part, part: writeContent(answer, "") });
		const kind = answer.isRefusal ? "refusal" : "output_text";
		for (const delta of piecesOf(answer)) {
			yield event(`response.${kind}.delta`, { ...part, delta, ...(answer.isRefusal ? {} : { logprobs: [] }) });
		}
		const whole = answer.isRefusal ? { refusal: answer.text } : { text: answer.text, logprobs: [] };
		yield event(`response.${kind}.done`, { ...part, ...whole });
		yield event("response.content_part.done", { ...part, part: writeContent(answer, answer.text) });
	} else {
		yield added({ arguments: "" });
		const json = String(item["arguments"]);
		for (const delta of splitText(json)) yield event("response.function_call_arguments.delta", { ...place, delta });
		yield event("response.function_call_arguments.done", { ...place, name: item["name"], arguments: json });
	}
	yield event("response.output_item.done", { output_index, item });
}

function writeUsage({ input, output, cacheRead, reasoning }: NonNullable<Answer["usage"]>): JsonObject {
	return {
		input_tokens: input,
		input_tokens_details: { cached_tokens: cacheRead },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: reasoning },
		total_tokens: input + output,
	};
}

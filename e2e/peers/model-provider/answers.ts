import type { Behaviour } from "./behaviours.ts";
import type { Answer, CallTool, Finish, ModelCall, ToolCall, Usage } from "./call.ts";
import type { GivenAnswer } from "./control.ts";
import { makeInstance } from "./json-instance.ts";

const IMAGE_TOKENS = 85;
const REASONING = "The question is read twice. The answer is clear.";
const REFUSAL = "I am sorry, but I cannot help with that.";

/** What a model answers: as given, else what its behaviour says, else something that depends on nothing but the request. */
export function makeAnswer(call: ModelCall, behaviour: Behaviour, given: GivenAnswer = {}): Answer {
	const toolCalls = chooseToolCalls(call, behaviour, given);
	const whole = toolCalls.length > 0 && given.text === undefined ? "" : chooseText(call, behaviour, given);
	const pieces = splitText(whole);
	const limit = behaviour.length ? Math.ceil(pieces.length / 2) : (call.maxTokens ?? Number.POSITIVE_INFINITY);
	const isCut = pieces.length > limit;
	const text = isCut ? pieces.slice(0, limit).join("") : whole;
	const isReasoning = call.wantsReasoning || behaviour.reasoning === true;
	const reasoning = given.reasoning ?? (isReasoning ? REASONING : "");
	return {
		text,
		reasoning,
		toolCalls,
		finish: given.finish ?? chooseFinish(behaviour, toolCalls, isCut || behaviour.length === true),
		isRefusal: behaviour.content === "refusal",
		usage: behaviour.noUsage ? undefined : countTokens(call, behaviour, given, { text, reasoning, toolCalls }),
		model: given.answeredBy ?? behaviour.answeredBy ?? call.model,
	};
}

/** Pieces of at most 12 characters and the white space before them, a token each; together they are the text. */
export function splitText(text: string): readonly string[] {
	return text.match(/\s*\S{1,12}|\s+/gu) ?? [];
}

/** What a stream sends the text of an answer in. */
export function piecesOf({ pieces, text }: Answer): Iterable<string> {
	return pieces ?? splitText(text);
}

function chooseText(call: ModelCall, behaviour: Behaviour, given: GivenAnswer): string {
	if (given.text !== undefined) return given.text;
	if (given.json !== undefined) return JSON.stringify(given.json);
	if (behaviour.content === "refusal") return REFUSAL;
	if (behaviour.words !== undefined) return Array.from({ length: behaviour.words }, (_, n) => `word${n + 1}`).join(" ");
	const said = describe(call);
	if (call.schema === undefined) return said;
	const json = JSON.stringify(call.schema === "any object" ? { answer: said } : makeInstance(call.schema));
	return behaviour.content === "prose" ? `Let me think.\n\n\`\`\`json\n${json}\n\`\`\`\n\nI hope this helps.` : json;
}

function describe({ messages }: ModelCall): string {
	const last = messages.findLast((message) => message.role === "user" || message.role === "tool");
	const images = messages.flatMap((message) => message.images);
	const seen = images.map(({ mediaType, bytes }) => ` I see an image of ${mediaType}, ${bytes} bytes.`).join("");
	const results = last?.toolResults.length ? ` Tools answered ${last.toolResults.length} times.` : "";
	return `You said: ${last?.text ?? ""}${results}${seen}`;
}

function chooseToolCalls(call: ModelCall, behaviour: Behaviour, given: GivenAnswer): readonly ToolCall[] {
	if (given.toolCalls !== undefined) {
		return given.toolCalls.map((tool, index) => ({
			id: nameCall(call, index),
			name: tool.name,
			arguments: typeof tool.arguments === "string" ? tool.arguments : JSON.stringify(tool.arguments),
		}));
	}
	const tools = chooseTools(call, behaviour, given);
	return tools.map((tool, index) => ({
		id: nameCall(call, index),
		name: tool.name,
		arguments: JSON.stringify(given.json ?? makeInstance(tool.schema)),
	}));
}

function chooseTools(call: ModelCall, behaviour: Behaviour, given: GivenAnswer): readonly CallTool[] {
	const [first, second = first] = call.tools;
	if (first === undefined || second === undefined || call.toolChoice === "none") return [];
	if (typeof call.toolChoice === "object") {
		const { name } = call.toolChoice;
		return call.tools.filter((tool) => tool.name === name).slice(0, 1);
	}
	if (behaviour.content === "tools-2") return [first, second];
	if (call.toolChoice === "required" || behaviour.content === "tools") return [first];
	const hasResults = call.messages.at(-1)?.toolResults.length !== 0;
	const saysText = given.text !== undefined || given.json !== undefined || behaviour.content !== undefined;
	return hasResults || saysText || call.schema !== undefined ? [] : [first];
}

function nameCall({ id }: ModelCall, index: number): string {
	return `call_${id.slice(0, 12)}${index}`;
}

function chooseFinish(behaviour: Behaviour, toolCalls: readonly ToolCall[], isCut: boolean): Finish {
	if (behaviour.content === "filter") return "content_filter";
	if (toolCalls.length > 0) return "tool_calls";
	return isCut ? "length" : "stop";
}

function countTokens(
	call: ModelCall,
	behaviour: Behaviour,
	given: GivenAnswer,
	{ text, reasoning, toolCalls }: Pick<Answer, "text" | "reasoning" | "toolCalls">,
): Usage {
	const reasoningTokens = given.usage?.reasoning ?? splitText(reasoning).length;
	const said = [text, ...toolCalls.map((tool) => tool.name + tool.arguments)];
	const output = said.reduce((sum, part) => sum + splitText(part).length, reasoningTokens);
	return {
		input: given.usage?.input ?? behaviour.input ?? countInput(call),
		output: given.usage?.output ?? behaviour.output ?? output,
		cacheRead: given.usage?.cacheRead ?? behaviour.cacheRead ?? 0,
		cacheWrite: given.usage?.cacheWrite ?? behaviour.cacheWrite ?? 0,
		reasoning: reasoningTokens,
	};
}

/** A token for four characters begun, and what an image costs. */
function countInput({ messages, tools }: ModelCall): number {
	let characters = 0;
	let images = 0;
	for (const message of messages) {
		characters += message.text.length;
		for (const call of message.toolCalls) characters += call.name.length + call.arguments.length;
		images += message.images.length;
	}
	for (const tool of tools) characters += tool.name.length + JSON.stringify(tool.schema).length;
	return Math.max(1, Math.ceil(characters / 4) + images * IMAGE_TOKENS);
}

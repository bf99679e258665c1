import type {
	LanguageModelV4,
	LanguageModelV4CallOptions,
	LanguageModelV4Content,
	LanguageModelV4FinishReason,
	LanguageModelV4Usage,
	SharedV4Warning,
} from "@ai-sdk/provider";
import type { ModelDelta, ModelUsage, ToolCall } from "../model-request.ts";
import { SignedReasoning } from "./signed-reasoning.ts";

/** What a library has read of an answer. */
export class AnswerSoFar {
	text = "";
	reasoning = "";
	readonly toolCalls: ToolCall[] = [];
	readonly signed = new SignedReasoning();
	finishReason = "";
	usage: ModelUsage | undefined;
	readonly warnings: string[] = [];
	readonly #onDelta: ((delta: ModelDelta) => void) | undefined;

	constructor(onDelta?: (delta: ModelDelta) => void) {
		this.#onDelta = onDelta;
	}

	addText(text: string): void {
		if (text === "") return;
		this.text += text;
		this.#onDelta?.({ type: "text", text });
	}

	addReasoning(text: string): void {
		if (text === "") return;
		this.reasoning += text;
		this.#onDelta?.({ type: "reasoning", text });
	}

	/** A call that the provider carries out itself is part of how it came to its answer. */
	addToolCall(call: Extract<LanguageModelV4Content, { type: "tool-call" }>): void {
		if (call.providerExecuted === true) return;
		const tool_call = { id: call.toolCallId, name: call.toolName, arguments: call.input };
		this.signed.add(`call ${call.toolCallId}`, "", call.providerMetadata, call.toolCallId);
		this.toolCalls.push(tool_call);
		this.#onDelta?.({ type: "tool_call", tool_call });
	}

	addWarnings(warnings: readonly SharedV4Warning[]): void {
		// The library does not know the parameters, which the body gets after it.
		const meant = warnings.filter((warning) => !("feature" in warning && warning.feature === "maxOutputTokens"));
		this.warnings.push(...meant.map(toSentence));
	}

	end(reason: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): void {
		this.finishReason = finishReason(reason);
		this.usage = toUsage(usage);
	}
}

/** Reads a streamed answer into `answer`; rejects with what the library makes of an answer that it cannot read. */
export async function readStream(
	model: LanguageModelV4,
	options: LanguageModelV4CallOptions,
	answer: AnswerSoFar,
): Promise<void> {
	const { stream } = await model.doStream(options);
	for await (const part of stream) {
		switch (part.type) {
			case "stream-start":
				answer.addWarnings(part.warnings);
				break;
			case "text-start":
			case "text-end":
				answer.signed.add(`text ${part.id}`, "", part.providerMetadata);
				break;
			case "text-delta":
				answer.addText(part.delta);
				answer.signed.add(`text ${part.id}`, "", part.providerMetadata);
				break;
			case "reasoning-start":
			case "reasoning-end":
				answer.signed.add(part.id, "", part.providerMetadata);
				break;
			case "reasoning-delta":
				answer.addReasoning(part.delta);
				answer.signed.add(part.id, part.delta, part.providerMetadata);
				break;
			case "tool-call":
				answer.addToolCall(part);
				break;
			case "finish":
				answer.end(part.finishReason, part.usage);
				break;
			case "error":
				throw part.error;
		}
	}
}

export async function readWhole(
	model: LanguageModelV4,
	options: LanguageModelV4CallOptions,
	answer: AnswerSoFar,
): Promise<void> {
	const { content, finishReason: reason, usage, warnings } = await model.doGenerate(options);
	answer.addWarnings(warnings);
	for (const [index, part] of content.entries()) {
		if (part.type === "text") {
			answer.addText(part.text);
			answer.signed.add(`text ${index}`, "", part.providerMetadata);
		} else if (part.type === "reasoning") {
			answer.addReasoning(part.text);
			answer.signed.add(String(index), part.text, part.providerMetadata);
		} else if (part.type === "tool-call") answer.addToolCall(part);
	}
	answer.end(reason, usage);
}

const MAX_REASON_LENGTH = 100;

function finishReason({ unified, raw }: LanguageModelV4FinishReason): string {
	switch (unified) {
		case "stop":
		case "length":
			return unified;
		case "content-filter":
			return "content_filter";
		case "tool-calls":
			return "tool_calls";
		default:
			return (raw ?? unified).slice(0, MAX_REASON_LENGTH);
	}
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage | undefined {
	if (inputTokens.total === undefined && outputTokens.total === undefined) return;
	const { cacheRead, cacheWrite } = inputTokens;
	const { reasoning } = outputTokens;
	return {
		input: inputTokens.total ?? 0,
		output: outputTokens.total ?? 0,
		...(cacheRead === undefined || cacheRead === 0 ? {} : { cache_read: cacheRead }),
		...(cacheWrite === undefined || cacheWrite === 0 ? {} : { cache_write: cacheWrite }),
		...(reasoning === undefined || reasoning === 0 ? {} : { reasoning }),
	};
}

const NO_SIGNATURES = "Calls of tools are sent without the signatures that Gemini gave them: the messages have none.";

function toSentence(warning: SharedV4Warning): string {
	switch (warning.type) {
		case "other":
			return warning.message.includes("thoughtSignature") ? NO_SIGNATURES : warning.message;
		case "deprecated":
			return `\`${warning.setting}\`: ${warning.message}`;
		case "unsupported":
			return warning.details ?? `\`${warning.feature}\` is not supported by the model and is not sent.`;
		case "compatibility":
			return warning.details ?? `\`${warning.feature}\` is sent in another way than it was given.`;
	}
}

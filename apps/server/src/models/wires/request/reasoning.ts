import type { ModelRequest } from "#models/model-request.ts";
import { type JsonObject, put } from "../json-object.ts";
import { isClaude, notSaid, WIRE_NAMES, type Wire } from "../wire.ts";

type InvocationParameters = NonNullable<ModelRequest["invocation_parameters"]>;

/** How much a model thinks, in the words of any provider. */
type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** Thinking as Anthropic and Gemini ask for it. */
interface Thinking {
	/** Tokens; `off`, or as many as the model finds right. */
	readonly budget: number | "off" | "adaptive" | undefined;
	/** Whether the answer should tell what was thought. */
	readonly isShown: boolean | undefined;
}

/** What a request says about thinking, with the names of the parameters that say it. */
export interface Reasoning {
	readonly effort: { readonly value: Effort; readonly givenAs: string } | undefined;
	readonly thinking: (Thinking & { readonly givenAs: string }) | undefined;
}

/** As {@link parameterAt} names what a provider refuses about reasoning. */
export const REASONING_NAMES: Readonly<Record<Wire, readonly string[]>> = {
	chat: ["reasoning_effort"],
	responses: ["reasoning_effort"],
	messages: ["thinking", "output_config"],
	gemini: ["thinking_config"],
	converse: ["thinking", "output_config", "reasoning_effort"],
};

export function readReasoning(given: InvocationParameters): Reasoning {
	switch (given.type) {
		case "openai": {
			const { reasoning_effort: value } = given.openai;
			return {
				effort: value === undefined ? undefined : { value, givenAs: "reasoning_effort" },
				thinking: undefined,
			};
		}
		case "anthropic": {
			const { thinking, output_config: output } = given.anthropic;
			return {
				effort: output?.effort === undefined ? undefined : { value: output.effort, givenAs: "output_config" },
				thinking: thinking === undefined ? undefined : { ...anthropicThinking(thinking), givenAs: "thinking" },
			};
		}
		case "google": {
			const { thinking_config: thinking } = given.google;
			const value = thinking?.thinking_level;
			return {
				effort: value === undefined ? undefined : { value, givenAs: "thinking_config" },
				thinking: thinking === undefined ? undefined : { ...googleThinking(thinking), givenAs: "thinking_config" },
			};
		}
		case "aws":
			return { effort: undefined, thinking: undefined };
	}
}

type AnthropicThinking = NonNullable<Extract<InvocationParameters, { type: "anthropic" }>["anthropic"]["thinking"]>;

function anthropicThinking(thinking: AnthropicThinking): Thinking {
	if (thinking.type === "disabled") return { budget: "off", isShown: undefined };
	const isShown = thinking.display === undefined ? undefined : thinking.display === "summarized";
	return { budget: thinking.type === "enabled" ? thinking.budget_tokens : "adaptive", isShown };
}

type GoogleThinking = NonNullable<Extract<InvocationParameters, { type: "google" }>["google"]["thinking_config"]>;

function googleThinking({ thinking_budget: budget, include_thoughts: isShown }: GoogleThinking): Thinking {
	if (budget === undefined) return { budget, isShown };
	return { budget: budget === 0 ? "off" : budget < 0 ? "adaptive" : budget, isShown };
}

interface Target extends Reasoning {
	readonly body: Record<string, unknown>;
	readonly warnings: string[];
	readonly wire: Wire;
	readonly model: string;
}

/** Puts it into a body in the words of the wire. */
export function putReasoning(reasoning: Target): void {
	switch (reasoning.wire) {
		case "chat":
			putEffort(reasoning, "reasoning_effort");
			return;
		case "responses":
			putEffort(reasoning, "reasoning.effort");
			if (reasoning.thinking?.isShown === true) put(reasoning.body, "reasoning.summary", "auto");
			return;
		case "messages":
			putAnthropicReasoning(reasoning, "");
			return;
		case "gemini":
			putGeminiReasoning(reasoning);
			return;
		case "converse":
			putBedrockReasoning(reasoning);
			return;
	}
}

/** A wire that knows efforts, but no tokens for thinking. */
function putEffort(reasoning: Target, path: string): void {
	const { body, warnings, wire, effort, thinking } = reasoning;
	if (effort !== undefined) {
		const isMore = wire === "chat" && effort.value === "max";
		if (isMore) warnings.push(`\`${effort.givenAs}\` is sent as \`xhigh\`, the most that ${WIRE_NAMES[wire]} knows.`);
		put(body, path, isMore ? "xhigh" : effort.value);
	} else if (thinking?.budget === "off") {
		put(body, path, "none");
	}
	if (thinking === undefined) return;
	if (typeof thinking.budget === "number") warnings.push(notSaid(`${thinking.givenAs} with a number of tokens`, wire));
	if (wire === "chat" && thinking.isShown === true) warnings.push(notSaid("thoughts in the answer", wire));
}

function putAnthropicReasoning(reasoning: Target, prefix: string): void {
	const { body, warnings, wire, effort, thinking } = reasoning;
	const value = anthropicValue(thinking);
	if (thinking !== undefined && typeof thinking.budget === "number" && thinking.budget < 1_024) {
		warnings.push(`\`${thinking.givenAs}\` is not sent: ${WIRE_NAMES[wire]} takes 1,024 tokens for thinking or more.`);
	} else if (value !== undefined) {
		put(body, `${prefix}thinking`, value);
	}
	if (effort === undefined) return;
	if (effort.value === "none") {
		if (value === undefined) put(body, `${prefix}thinking`, { type: "disabled" });
		return;
	}
	if (effort.value === "minimal")
		warnings.push(`\`${effort.givenAs}\` is sent as \`low\`, the least that ${WIRE_NAMES[wire]} knows.`);
	put(body, `${prefix}output_config.effort`, effort.value === "minimal" ? "low" : effort.value);
}

function anthropicValue(thinking: Reasoning["thinking"]): JsonObject | undefined {
	if (thinking?.budget === undefined) return;
	if (thinking.budget === "off") return { type: "disabled" };
	const display = thinking.isShown === undefined ? {} : { display: thinking.isShown ? "summarized" : "omitted" };
	if (thinking.budget === "adaptive") return { type: "adaptive", ...display };
	return { type: "enabled", budget_tokens: thinking.budget, ...display };
}

function putGeminiReasoning({ body, warnings, effort, thinking }: Target): void {
	const at = (member: string) => `generationConfig.thinkingConfig.${member}`;
	const budget = thinking?.budget;
	if (budget !== undefined) put(body, at("thinkingBudget"), budget === "off" ? 0 : budget === "adaptive" ? -1 : budget);
	if (thinking?.isShown !== undefined) put(body, at("includeThoughts"), thinking.isShown);
	if (effort === undefined) return;
	if (effort.value === "none") {
		put(body, at("thinkingBudget"), 0);
		return;
	}
	const isMore = effort.value === "xhigh" || effort.value === "max";
	if (isMore) warnings.push(`\`${effort.givenAs}\` is sent as \`high\`, the most that Gemini knows.`);
	put(body, at("thinkingLevel"), isMore ? "high" : effort.value);
}

function putBedrockReasoning(reasoning: Target): void {
	const { body, warnings, wire, model, effort, thinking } = reasoning;
	if (isClaude(model)) {
		putAnthropicReasoning(reasoning, "additionalModelRequestFields.");
		return;
	}
	if (thinking !== undefined) warnings.push(notSaid(thinking.givenAs, wire));
	if (effort === undefined) return;
	if (/(^|\.)openai\./.test(model)) put(body, "additionalModelRequestFields.reasoning_effort", effort.value);
	else warnings.push(notSaid(effort.givenAs, wire));
}

import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#models/model-request.ts";
import type { Wire } from "../wire.ts";
import { bodyParameters } from "./parameters.ts";

type Given = NonNullable<ModelRequest["invocation_parameters"]>;

const KINDS = {
	chat: "openai",
	responses: "openai",
	messages: "anthropic",
	gemini: "google",
	converse: "aws_bedrock",
} as const;

function translate(wire: Wire, given: Given, model = "m") {
	return bodyParameters(wire, KINDS[wire], { model, messages: [], invocation_parameters: given });
}

const OPENAI: Given = {
	type: "openai",
	openai: {
		...{ temperature: 0.1, max_completion_tokens: 9, top_p: 0.5, seed: 1, stop: ["x"] },
		...{ frequency_penalty: 0.2, presence_penalty: 0.3, reasoning_effort: "minimal" },
	},
};
const ANTHROPIC: Given = {
	type: "anthropic",
	anthropic: {
		...{ max_tokens: 4_096, stop_sequences: ["x"], output_config: { effort: "max" } },
		thinking: { type: "enabled", budget_tokens: 2_048, display: "summarized" },
	},
};
const GOOGLE: Given = {
	type: "google",
	google: {
		...{ max_output_tokens: 9, top_k: 40 },
		thinking_config: { thinking_budget: 0, include_thoughts: true },
	},
};

describe("parameters in the words of each wire", () => {
	it.each<readonly [Wire, Given, object, readonly string[]]>([
		["chat", OPENAI, OPENAI.openai, []],
		[
			"messages",
			OPENAI,
			{ temperature: 0.1, max_tokens: 9, top_p: 0.5, stop_sequences: ["x"], output_config: { effort: "low" } },
			["seed", "frequency_penalty", "presence_penalty", "reasoning_effort"],
		],
		[
			"gemini",
			OPENAI,
			{
				generationConfig: {
					...{ temperature: 0.1, maxOutputTokens: 9, topP: 0.5, seed: 1, stopSequences: ["x"] },
					...{ frequencyPenalty: 0.2, presencePenalty: 0.3, thinkingConfig: { thinkingLevel: "minimal" } },
				},
			},
			[],
		],
		[
			"converse",
			OPENAI,
			{ inferenceConfig: { temperature: 0.1, maxTokens: 9, topP: 0.5, stopSequences: ["x"] } },
			["seed", "frequency_penalty", "presence_penalty", "reasoning_effort"],
		],
		["messages", ANTHROPIC, ANTHROPIC.anthropic, []],
		[
			"chat",
			ANTHROPIC,
			{ max_completion_tokens: 4_096, stop: ["x"], reasoning_effort: "xhigh" },
			["output_config", "thinking with a number of tokens", "thoughts in the answer"],
		],
		[
			"responses",
			ANTHROPIC,
			{ max_output_tokens: 4_096, reasoning: { effort: "max", summary: "auto" } },
			["stop_sequences", "thinking with a number of tokens"],
		],
		[
			"gemini",
			ANTHROPIC,
			{
				generationConfig: {
					...{ maxOutputTokens: 4_096, stopSequences: ["x"] },
					thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true, thinkingLevel: "high" },
				},
			},
			["output_config"],
		],
		["messages", GOOGLE, { max_tokens: 9, top_k: 40, thinking: { type: "disabled" } }, []],
		["chat", GOOGLE, { max_completion_tokens: 9, reasoning_effort: "none" }, ["top_k", "thoughts in the answer"]],
	])("%s from %j", (wire, given, body, left) => {
		const translated = translate(wire, given);
		expect(translated.body).toEqual(body);
		expect(translated.warnings.map((warning) => /^`(.*?)`/.exec(warning)?.[1])).toEqual(
			expect.arrayContaining([...left]),
		);
		expect(translated.warnings).toHaveLength(left.length);
	});

	it("says thinking to Claude on Bedrock as Anthropic has it", () => {
		const { body, warnings } = translate("converse", ANTHROPIC, "eu.anthropic.claude-x");
		expect(warnings).toEqual([]);
		expect(body).toMatchObject({
			inferenceConfig: { maxTokens: 4_096 },
			additionalModelRequestFields: {
				thinking: { type: "enabled", budget_tokens: 2_048 },
				output_config: { effort: "max" },
			},
		});
	});

	it("remembers what a parameter was given as, to name it when it is refused", () => {
		expect(translate("responses", OPENAI).givenNames.get("max_output_tokens")).toBe("max_completion_tokens");
		expect(translate("gemini", ANTHROPIC).givenNames.get("stop_sequences")).toBe("stop_sequences");
		expect(translate("messages", OPENAI).givenNames.get("stop_sequences")).toBe("stop");
	});

	it("merges extra_body, but not what decides who is asked, what, and how much it may cost", () => {
		const extra_body = {
			...{ service_tier: "flex", reasoning: { summary: "auto" }, "a.b": 1, __proto__x: 1 },
			...{ model: "dearer", n: 100, max_output_tokens: 1e6, stream: false, messages: [] },
		};
		const given: Given = { type: "openai", openai: { reasoning_effort: "low", extra_body } };
		const { body, warnings } = translate("responses", given);
		expect(body).toEqual({
			reasoning: { effort: "low", summary: "auto" },
			...{ service_tier: "flex", "a.b": 1, __proto__x: 1 },
		});
		expect(warnings).toHaveLength(5);
		expect(translate("messages", given).warnings).toContain(
			"`extra_body` is not sent: it is written for another provider than Anthropic's Messages API.",
		);
	});
});

import type { ConnectionKind } from "../connection.ts";
import type { ModelAnswer, ModelRequest } from "../model-request.ts";
import type { TestOutcome, TestStepName } from "./test-steps.ts";

/** Tokens of an answer; less is refused by some providers. */
export const TEST_OUTPUT_TOKENS = 16;

/** A small call that shows whether a model can do something. */
export interface TestCall {
	readonly name: TestStepName;
	readonly isStreamed: boolean;
	/** Whether a connection is useful without it. */
	readonly isOptional: boolean;
	request(model: string, kind: ConnectionKind): ModelRequest;
	/** @param pieces in which a streamed answer came */
	describe(answer: ModelAnswer, pieces: number): readonly [outcome: TestOutcome, message: string];
}

const CUT = `The answer ended at ${TEST_OUTPUT_TOKENS} tokens, before it showed`;

export const TEST_CALLS: readonly TestCall[] = [
	{
		name: "answer",
		isStreamed: false,
		isOptional: false,
		request: (model, kind) => asking(model, kind, "Answer with the one word: yes"),
		describe: ({ model, usage }) => [
			"ok",
			usage === undefined
				? `${model} answered. The provider does not count tokens, so that costs cannot be known.`
				: `${model} answered, with ${usage.input} tokens of input and ${usage.output} of output.`,
		],
	},
	{
		name: "stream",
		isStreamed: true,
		isOptional: false,
		request: (model, kind) => asking(model, kind, "Answer with the words: one two three"),
		describe: (_, pieces) => ["ok", `The answer came in ${pieces} pieces, and is whole.`],
	},
	{
		name: "tools",
		isStreamed: false,
		isOptional: true,
		request: (model, kind) => ({
			...asking(model, kind, "Call the tool noop."),
			tools: {
				type: "tools",
				tools: [
					{
						type: "function",
						function: { name: "noop", description: "Does nothing.", parameters: { type: "object", properties: {} } },
					},
				],
				tool_choice: { type: "one_or_more" },
			},
		}),
		describe({ tool_calls: calls, finish_reason: reason }) {
			if (calls.length > 0) return ["ok", "The model called the tool that it was given."];
			if (reason === "length") return ["warning", `${CUT} whether the model calls tools.`];
			return ["warning", "The model took the tool, and did not call it."];
		},
	},
	{
		name: "structured_output",
		isStreamed: false,
		isOptional: true,
		request: (model, kind) => ({
			...asking(model, kind, 'Answer with {"ok": true}'),
			response_format: {
				type: "json_schema",
				json_schema: {
					name: "test",
					strict: true,
					schema: {
						type: "object",
						properties: { ok: { type: "boolean" } },
						required: ["ok"],
						additionalProperties: false,
					},
				},
			},
		}),
		describe({ text, finish_reason: reason }) {
			if (isAsAsked(text)) return ["ok", "The model answered with JSON by the schema that it was given."];
			if (reason === "length") return ["warning", `${CUT} whether the model keeps to schemas.`];
			return ["warning", "The model took the schema, and did not keep to it."];
		},
	},
];

function asking(model: string, kind: ConnectionKind, content: string): ModelRequest {
	return { model, messages: [{ role: "user", content }], invocation_parameters: limitFor(kind) };
}

function limitFor(kind: ConnectionKind): NonNullable<ModelRequest["invocation_parameters"]> {
	const limit = TEST_OUTPUT_TOKENS;
	switch (kind) {
		case "anthropic":
			return { type: "anthropic", anthropic: { max_tokens: limit } };
		case "google":
		case "google_vertex":
			return { type: "google", google: { max_output_tokens: limit } };
		case "aws_bedrock":
			return { type: "aws", aws: { max_tokens: limit } };
		case "openai":
		case "azure_openai":
			return { type: "openai", openai: { max_completion_tokens: limit } };
		case "openai_compatible":
			return { type: "openai", openai: { max_tokens: limit } };
	}
}

function isAsAsked(text: string): boolean {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && "ok" in value && typeof value.ok === "boolean";
	} catch (error) {
		if (error instanceof SyntaxError) return false;
		throw error;
	}
}

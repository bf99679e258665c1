import { afterAll, beforeAll, expect, it } from "vitest";
import type { ModelRequest } from "#models/model-request.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { type EvaluationServices, evaluate } from "./evaluate.ts";
import { storeEvaluatorSpan } from "./evaluator-span.ts";
import { EvaluatorVersionBody } from "./evaluator-version.ts";

const PROJECT = "evaluators of shop";
const requests: ModelRequest[] = [];
let server: TestApp;
let services: EvaluationServices;
beforeAll(async () => {
	server = await openTestApp();
	const answer = { reasoning: "", tool_calls: [], finish_reason: "stop", model: "m-1", warnings: [] };
	services = {
		ask: async (_connectionId, request, { traceId, spanId }) => {
			requests.push(request);
			const text = '{"explanation": "why", "label": "yes"}';
			const common = { costUsd: 0.5, latencyMs: 1, firstTokenMs: undefined, warnings: [], attempts: 1 };
			return { ...common, answer: { ...answer, text }, traceId, spanId };
		},
		lessons: { find: async () => new Set(), learn: async () => {}, forget: async () => {} },
		code: server.context.code,
		resolveVariant: async ({ model = "m", messages = [] }) =>
			model === "gone"
				? { code: "model_not_found", message: "there is no such connection" }
				: { connectionId: 1, model, messages, format: "MUSTACHE" },
		recordSpan: (span) => storeEvaluatorSpan(server.context, span, PROJECT),
		now: server.context.now,
	};
});
afterAll(() => server[Symbol.asyncDispose]());

const labels = [
	{ label: "yes", score: 1 },
	{ label: "no", score: 0 },
];
const judgeBody = {
	kind: "LLM",
	inputs: [{ name: "answer" }],
	outputs: [{ name: "good", type: "categorical", labels }],
	mapping: { run: { answer: { path: "output_text" } } },
	variant: { connection_id: "c", messages: [{ role: "user", content: "{{answer}}" }] },
};
const codeBody = {
	kind: "CODE",
	inputs: [{ name: "answer" }],
	outputs: [{ name: "size", type: "score" }],
	language: "javascript",
	source: 'function evaluate({ answer }) {\n console.log("seen");\n return answer.length;\n}',
};

function run(body: unknown, context: Record<string, unknown>, mapping: object = { answer: { path: "output_text" } }) {
	const version = EvaluatorVersionBody.parse(body);
	return evaluate(services, {
		name: "judge",
		version,
		versionId: "v1",
		inputs: { mapping: mapping as never, context },
	});
}

async function spansOf(traceId: string | null) {
	const { json } = await server.get(`/v1/projects/${encodeURIComponent(PROJECT)}/spans?trace_id=${traceId}`);
	return json.data;
}

it("a judge gives its result with cost, model, the prompt as it was sent, and a trace of its own", async () => {
	const evaluation = await run(judgeBody, { output_text: "Paris" });
	expect(evaluation).toMatchObject({
		outputs: { good: { label: "yes", score: 1, explanation: "why", error: null } },
		costUsd: 0.5,
		model: "m-1",
		warnings: [],
		isTruncated: false,
	});
	// E50
	expect(evaluation.rendered).toEqual(requests.at(-1)?.messages);
	const [span] = await spansOf(evaluation.traceId);
	expect(span).toMatchObject({
		name: "judge",
		span_kind: "EVALUATOR",
		status_code: "OK",
		attributes: {
			"spanward.origin": "evaluator",
			"spanward.evaluator_version.id": "v1",
			"input.value": '{"answer":"Paris"}',
		},
	});
});

it("code gives its result and keeps what it wrote in its trace, also when it fails", async () => {
	const evaluation = await run(codeBody, { output_text: "Paris" });
	expect(evaluation.outputs["size"]).toMatchObject({ score: 5, error: null });
	expect((await spansOf(evaluation.traceId))[0].attributes["spanward.evaluator.log"]).toBe("seen\n");
	const failed = await run(codeBody, { output_text: { no: "text" } }, { answer: { literal: false } });
	expect(failed.outputs["size"]?.error?.code).toBe("bad_output");
	const source = "function evaluate() {\n throw new Error('mine');\n}";
	const threw = await run({ ...codeBody, source }, { output_text: "x" });
	expect(threw.failure).toEqual({ code: "code_error", message: "Error: mine (line 2)", isPassing: false });
	expect((await spansOf(threw.traceId))[0]).toMatchObject({
		status_code: "ERROR",
		status_message: "Error: mine (line 2)",
	});
});

it("a built-in evaluator writes no trace", async () => {
	const body = { kind: "BUILT_IN", builtin: { key: "one_of", parameters: { values: ["Paris"] } } };
	const evaluation = await run(body, { output_text: "Paris" }, { output: { path: "output_text" } });
	expect([evaluation.outputs["one_of"]?.label, evaluation.traceId]).toEqual(["pass", null]);
});

it("a required input without a value, and a variant that is gone, ask nobody", async () => {
	const before = requests.length;
	const missing = await run(judgeBody, {});
	expect(missing.failure).toMatchObject({ code: "missing_input", message: expect.stringContaining("answer") });
	const variant = { ...judgeBody.variant, model: "gone" };
	expect((await run({ ...judgeBody, variant }, { output_text: "x" })).failure?.code).toBe("model_not_found");
	expect([requests.length, missing.traceId]).toEqual([before, null]);
});

it("values by hand are the inputs themselves", async () => {
	const version = EvaluatorVersionBody.parse(judgeBody);
	const evaluation = await evaluate(services, { name: "judge", version, inputs: { values: { answer: "by hand" } } });
	expect(JSON.stringify(evaluation.rendered)).toContain("by hand");
});

it("runs and kills of code are metrics", async () => {
	server.context.metrics.code.noteKill();
	const metrics = await server.context.metrics.text();
	expect(metrics).toMatch(/spanward_code_evaluator_seconds_count [1-9]/);
	expect(metrics).toMatch(/spanward_code_evaluator_kills_total 1/);
});

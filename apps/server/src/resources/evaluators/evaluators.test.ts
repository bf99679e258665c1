import { startModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, text } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { sendSpans, spanId } from "../annotations/test-annotations.ts";

const provider = await startModelProvider();
const server = await openTestApp({ SERVICE_SECRET: TEST_SECRETS.SERVICE_SECRET });
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const PROBLEM = { accept: "application/problem+json" };
let connection: string;
beforeAll(async () => {
	connection = await create("/v1/model_connections", {
		...{ name: "provider", kind: "openai_compatible", base_url: provider.openai },
	});
});

/** @returns the id of what was made */
async function create(url: string, body: object): Promise<string> {
	const { status, json, text } = await server.call("POST", url, body);
	expect(status, text).toBeLessThan(300);
	return json.data.id;
}

function judge(labels: readonly string[] = ["yes", "no"], content = "Does this help? {{answer}}") {
	return {
		...{ kind: "LLM", inputs: [{ name: "answer" }] },
		outputs: [{ name: "helpful", type: "categorical", labels: labels.map((label, at) => ({ label, score: 1 - at })) }],
		mapping: { run: { answer: { path: "output_text" } }, span: { answer: { path: "output_text" } } },
		variant: { connection_id: connection, model: "stand-in", messages: [{ role: "user", content }] },
	};
}

function code(source: string) {
	return {
		kind: "CODE",
		inputs: [{ name: "output" }],
		outputs: [{ name: "size", type: "score" }],
		language: "javascript",
		source,
	};
}

const contains = (texts: readonly string[]) => ({
	kind: "BUILT_IN",
	builtin: { key: "contains", parameters: { texts } },
});

async function datasetWithRun(name: string) {
	const { json } = await server.call("POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name, inputs: [{ question: "1 + 1?" }], outputs: [{ answer: "2" }] },
	});
	const dataset: string = json.data.dataset_id;
	const experiment = await create(`/v1/datasets/${dataset}/experiments`, {});
	const example = (await server.get(`/v1/datasets/${dataset}/examples`)).json.data.examples[0].id;
	const run = await create(`/v1/experiments/${experiment}/runs`, {
		...{ dataset_example_id: example, output: "It is 2.", repetition_number: 1 },
		...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" },
	});
	return { dataset, experiment, run };
}

it("E51 a new version leaves the old one as it is, and the diff shows prompt, labels and parameters", async () => {
	const evaluator = await create("/v1/evaluators", { name: "helpful", version: judge() });
	const url = `/v1/evaluators/${evaluator}/versions`;
	const changed = { ...judge(["yes", "no", "unclear"], "Is it of use? {{answer}}"), when_too_long: "cut" };
	await create(url, { version: changed });
	const { data: versions } = (await server.get(url)).json;
	expect(versions).toMatchObject([{ number: 2 }, { number: 1, version: judge() }]);
	expect((await server.get("/v1/evaluators/helpful")).json.data).toMatchObject({
		...{ kind: "LLM", outputs: ["helpful"], latest_version: { id: versions[0].id, number: 2 } },
	});
	const { data: diff } = (await server.get(`/v1/evaluator_versions/${versions[0].id}/diff?against=${versions[1].id}`))
		.json;
	expect(diff.is_equal).toBe(false);
	const paths = diff.changes.map(({ path }: { path: unknown[] }) => path.join("."));
	expect(paths.join()).toMatch(/outputs\.0\.labels/);
	expect(paths.join()).toMatch(/variant\.messages/);
	expect(diff.changes).toContainEqual({ path: ["when_too_long"], kind: "changed", before: "skip", after: "cut" });
});

it("refuses code that cannot be run, wherever a version arrives", async () => {
	const broken = code("function evaluate({ output }) { return output.length; ");
	const refused = [{ loc: ["body", "version", "source"], msg: expect.stringMatching(/line/) }];
	const made = await server.call("POST", "/v1/evaluators", { name: "broken", version: broken });
	expect(made.status).toBe(422);
	expect(made.json.detail).toMatchObject(refused);
	expect((await server.get("/v1/evaluators/broken")).status).toBe(404);
	const tried = await server.call("POST", "/v1/evaluations", { version: broken, target: { values: { output: "a" } } });
	expect(tried.json.detail).toMatchObject(refused);
	const right = code("function evaluate({ output }) { return output.length; }");
	const evaluator = await create("/v1/evaluators", { name: "size", version: right });
	const nameless = code("const nothing = 1;");
	const added = await server.call("POST", `/v1/evaluators/${evaluator}/versions`, { version: nameless });
	expect(added.json.detail).toMatchObject([
		{ loc: ["body", "version", "source"], msg: expect.stringMatching(/evaluate/) },
	]);
	expect((await server.get(`/v1/evaluators/${evaluator}/versions`)).json.data).toHaveLength(1);
	const { json } = await server.call("POST", "/v1/evaluations", {
		evaluator: "size",
		target: { values: { output: "four" } },
	});
	expect(json.data.outputs).toMatchObject({ size: { score: 4, error: null } });
});

it("keeps an evaluator of a dataset from being archived until it is taken out", async () => {
	const evaluator = await create("/v1/evaluators", { name: "says-two", version: contains(["2"]) });
	const { dataset } = await datasetWithRun("attached");
	const url = `/v1/datasets/${dataset}/evaluators/${evaluator}`;
	const unknown = await server.call("PUT", url, { mapping: { nothing: { path: "output" } } }, PROBLEM);
	expect([unknown.status, unknown.json.code]).toEqual([422, "mapping_does_not_fit"]);
	const mapping = { output: { path: "output_text" } };
	const put = await server.call("PUT", url, { mapping, run_automatically: false });
	expect(put.json.data, put.text).toMatchObject({ mapping, run_automatically: false, version_id: null });
	expect((await server.get(`/v1/evaluators/${evaluator}/usage`)).json.data).toEqual({
		...{ datasets: [{ id: dataset, name: "attached" }], jobs: [], hidden: 0 },
	});
	const refused = await server.call("DELETE", `/v1/evaluators/${evaluator}`, undefined, PROBLEM);
	expect([refused.status, refused.json.code]).toEqual([409, "evaluator_in_use"]);
	expect((await server.call("DELETE", url)).status).toBe(204);
	expect((await server.get(`/v1/datasets/${dataset}/evaluators`)).json.data).toEqual([]);
	expect((await server.call("DELETE", `/v1/evaluators/${evaluator}`)).status).toBe(204);
	const names = async (archived: boolean) =>
		(await server.get(`/v1/evaluators?archived=${archived}&name_contains=says`)).json.data.map(
			({ name }: { name: string }) => name,
		);
	expect([await names(false), await names(true)]).toEqual([[], ["says-two"]]);
	expect((await server.call("PUT", url, {}, PROBLEM)).json.code).toBe("evaluator_archived");
});

it("E50 tries a judge on values and on a run: what was sent is what is shown, and nothing is annotated", async () => {
	await provider.control({ reset: true });
	const { experiment, run } = await datasetWithRun("tried");
	const evaluated = async (target: object, more: object = {}) => {
		const { status, json, text } = await server.call("POST", "/v1/evaluations", { version: judge(), target, ...more });
		expect(status, text).toBe(200);
		return json.data;
	};
	for (const [target, text, project] of [
		[{ values: { answer: "Ask again." } }, "Ask again.", "evaluators of the library"],
		[{ experiment_run_id: run }, "It is 2.", "evaluators of tried"],
	] as const) {
		const { outputs, rendered, trace_id } = await evaluated(target);
		expect(outputs).toMatchObject({ helpful: { label: "yes", score: 1, error: null } });
		const sent = JSON.stringify((await provider.lastRequest()).json);
		expect(JSON.stringify(rendered)).toContain(text);
		for (const { content } of rendered) expect(sent).toContain(JSON.stringify(content));
		const { data: spans } = (await server.get(`/v1/projects/${encodeURIComponent(project)}/spans?trace_id=${trace_id}`))
			.json;
		expect(spans.map(({ span_kind }: { span_kind: string }) => span_kind).sort()).toEqual(["EVALUATOR", "LLM"]);
	}
	const annotations = async () => (await server.get(`/v1/experiments/${experiment}/json`)).json[0].annotations;
	expect(await annotations()).toEqual([]);
	const missing = await evaluated({ values: {} });
	expect(missing.outputs.helpful.error).toMatchObject({
		code: "missing_input",
		message: expect.stringContaining("answer"),
	});
	await create("/v1/evaluators", { name: "judge-of-runs", version: judge() });
	const annotate = () =>
		server.call("POST", "/v1/evaluations", {
			...{ evaluator: "judge-of-runs", target: { experiment_run_id: run }, annotate: true },
		});
	const { status, text } = await annotate();
	expect(status, text).toBe(200);
	expect(await annotations()).toMatchObject([{ name: "helpful", label: "yes", annotator_kind: "LLM" }]);
	await create("/v1/experiment_evaluations", {
		...{ experiment_run_id: run, name: "helpful", annotator_kind: "HUMAN", result: { label: "no" } },
		...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" },
	});
	expect((await annotate()).json.data.warnings).toEqual(["What a person wrote as helpful was kept."]);
	expect(await annotations()).toMatchObject([{ label: "no", annotator_kind: "HUMAN" }]);
});

it("replaces what it annotated before, also under another name", async () => {
	await sendSpans(server, 1);
	const evaluator = await create("/v1/evaluators", { name: "says-nothing", version: contains(["anything"]) });
	const annotate = (name: string, output: string) =>
		server.call("POST", "/v1/evaluations", {
			...{ evaluator: name, target: { project: "default", span_id: spanId(1) }, annotate: true },
			mapping: { output: { literal: output } },
		});
	expect((await annotate("says-nothing", "nothing")).status).toBe(200);
	await server.call("PATCH", `/v1/evaluators/${evaluator}`, { name: "renamed" });
	expect((await annotate("renamed", "anything")).status).toBe(200);
	const { data } = (await server.get(`/v1/projects/default/span_annotations?span_ids=${spanId(1)}`)).json;
	expect(data).toMatchObject([{ annotator_kind: "CODE", result: { label: "pass" } }]);
});

it("E50 tries a judge on a span, on a trace of 500 spans and on a session: what was sent is what is shown", async () => {
	await provider.control({ reset: true });
	const traceId = "5".repeat(32);
	const id = (number: number) => number.toString(16).padStart(16, "0");
	const attributes = (at: number) => ({
		"openinference.span.kind": text("CHAIN"),
		"input.value": text(`question ${at}`),
		"output.value": text(`answer ${at}`),
		"session.id": text("a talk"),
	});
	await server.send(
		Array.from({ length: 500 }, (_, at) => ({
			...{ traceId, spanId: id(at + 1), name: `step ${at + 1}`, attributes: attributes(at + 1) },
			...(at === 0 ? {} : { parentSpanId: id(1) }),
		})),
		"long",
	);
	for (const [target, path, parts] of [
		[{ span_id: id(7), project: "long" }, "output_text", ["answer 7"]],
		[{ trace_id: traceId, project: "long" }, "spans[].output", ["answer 1", "answer 250", "answer 500"]],
		[{ session_id: "a talk", project: "long" }, "conversation", ["question 1", "answer 1"]],
	] as const) {
		const body = { version: judge(), target, mapping: { answer: { path } } };
		const { status, json, text: said } = await server.call("POST", "/v1/evaluations", body);
		expect(status, said).toBe(200);
		const { rendered, outputs } = json.data;
		expect(outputs).toMatchObject({ helpful: { label: "yes", error: null } });
		const { messages } = (await provider.lastRequest()).json as { messages: { content: unknown }[] };
		expect(messages.map(({ content }) => content)).toEqual(rendered.map(({ content }: { content: string }) => content));
		const prompt = JSON.stringify(rendered);
		for (const part of parts) expect(prompt).toContain(part);
	}
	const { json } = await server.get(`/v1/projects/long/trace_annotations?trace_ids=${traceId}`);
	expect(json.data).toEqual([]);
	const ofSpan = await server.get(`/v1/projects/long/span_annotations?span_ids=${id(7)}`);
	expect(ofSpan.json.data).toEqual([]);
});

it("E51 results of the former version stay as they were", async () => {
	await provider.control({ reset: true });
	const { experiment, run } = await datasetWithRun("judged before");
	const evaluator = await create("/v1/evaluators", { name: "judge-of-before", version: judge() });
	const annotated = { evaluator: "judge-of-before", target: { experiment_run_id: run }, annotate: true };
	expect((await server.call("POST", "/v1/evaluations", annotated)).status).toBe(200);
	const annotations = async () => (await server.get(`/v1/experiments/${experiment}/json`)).json[0].annotations;
	const before = await annotations();
	expect(before).toMatchObject([{ name: "helpful", label: "yes" }]);
	await create(`/v1/evaluators/${evaluator}/versions`, { version: judge(["no", "yes"]) });
	expect(await annotations()).toEqual(before);
});

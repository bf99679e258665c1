import { startModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeEach, expect, it } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { ExperimentJobs } from "./carry-out.ts";

const provider = await startModelProvider();
const server = await openTestApp({ SERVICE_SECRET: TEST_SECRETS.SERVICE_SECRET });
const work = new ExperimentJobs(server.context);
afterAll(async () => {
	await work[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const JOBS = "/v1/experiment_jobs";
let serial = 0;
let connection: string;
beforeEach(async () => {
	await provider.control({ reset: true });
	connection = await create("/v1/model_connections", {
		...{ name: `provider-${++serial}`, kind: "openai_compatible", base_url: provider.openai },
	});
	await server.call("POST", "/v1/model_prices", {
		...{ name: `price-${serial}`, match: "prefix", pattern: "stand-in", provider: null },
		prices: { input: 1, output: 2 },
	});
});

/** @returns the id of what was made */
async function create(url: string, body: object): Promise<string> {
	const { status, json, text } = await server.call("POST", url, body);
	expect(status, text).toBeLessThan(300);
	return json.data.id;
}

async function datasetOf(examples: number): Promise<string> {
	const { json, text, status } = await server.call("POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name: `questions-${++serial}` },
		inputs: Array.from({ length: examples }, (_, index) => ({ question: `What is ${index} + 1?` })),
		outputs: Array.from({ length: examples }, (_, index) => ({ answer: `${index + 1}` })),
	});
	expect(status, text).toBe(200);
	return json.data.dataset_id;
}

function variant(model: string, label = "a") {
	return {
		...{ connection_id: connection, model, label },
		messages: [{ role: "user", content: "Answer: {{question}}" }],
		invocation_parameters: { type: "openai", openai: { max_tokens: 50 } },
	};
}

async function started(body: object): Promise<string> {
	const { status, json, text } = await server.call("POST", JOBS, { kind: "run", ...body });
	expect(status, text).toBe(202);
	return json.data.id;
}

async function jobOf(id: string) {
	return (await server.get(`${JOBS}/${id}`)).json.data;
}

/** Waits until the job does nothing. */
async function rested(id: string) {
	await expect
		.poll(async () => {
			const { state, runs } = await jobOf(id);
			return runs.running > 0 ? "running" : state;
		})
		.not.toMatch(/waiting|running/);
	return await jobOf(id);
}

async function runsOf(experiment: string) {
	return (await server.get(`/v1/experiments/${experiment}/runs`)).json.data;
}

it("E32 runs two variants over a dataset, with evaluators, within its estimate", async () => {
	const dataset = await datasetOf(10);
	await create("/v1/evaluators", {
		name: `says-${serial}`,
		version: { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["You said"] } } },
	});
	const body = {
		...{ dataset_id: dataset, variants: [variant("stand-in-a"), variant("stand-in-b", "b")], repetitions: 2 },
		evaluators: [{ evaluator_id: `says-${serial}`, mapping: { output: { path: "output_text" } } }],
	};
	const estimate = (await server.call("POST", `${JOBS}/estimate`, { kind: "run", ...body })).json.data;
	expect(estimate).toMatchObject({ examples: 10, runs: 40, evaluations: 40, problems: [], unpriced_models: [] });
	const done = await rested(await started(body));
	expect(done).toMatchObject({
		...{ state: "done", runs: { total: 40, done: 40, failed: 0 }, evaluations: { total: 40, done: 40, failed: 0 } },
		experiments: [{ name: expect.stringMatching(/ a$/) }, { name: expect.stringMatching(/ b$/) }],
	});
	expect(done.cost_usd).toBeGreaterThanOrEqual(estimate.cost_usd.low);
	expect(done.cost_usd).toBeLessThanOrEqual(estimate.cost_usd.high);
	for (const { id } of done.experiments) {
		const runs = await runsOf(id);
		expect(runs).toHaveLength(20);
		expect(new Set(runs.map((run: { trace_id: string }) => run.trace_id)).size).toBe(20);
		expect(runs[0].output).toMatchObject({ text: expect.stringContaining("You said"), finish_reason: "stop" });
		const { json } = await server.get(`/v1/experiments/${id}`);
		expect(json.data.scores).toMatchObject({ [Object.keys(json.data.scores)[0] ?? ""]: { mean: 1, count: 10 } });
	}
	expect(await provider.requests()).toHaveLength(40);
});

it("E35 pauses, resumes and cancels, and what is recorded stays", async () => {
	const dataset = await datasetOf(300);
	const id = await started({ dataset_id: dataset, variants: [variant("stand-in+slow-100")] });
	await expect.poll(async () => (await jobOf(id)).runs.done).toBeGreaterThan(0);
	await server.call("PATCH", `${JOBS}/${id}`, { state: "paused" });
	await expect.poll(async () => (await jobOf(id)).runs.running).toBe(0);
	const paused = await jobOf(id);
	expect(paused).toMatchObject({ state: "paused", reason: "asked" });
	expect(paused.runs.done).toBeLessThan(300);
	await server.call("PATCH", `${JOBS}/${id}`, { state: "running" });
	await expect.poll(async () => (await jobOf(id)).runs.done).toBeGreaterThan(paused.runs.done);
	expect((await server.call("DELETE", `${JOBS}/${id}`)).status).toBe(204);
	await expect.poll(async () => (await jobOf(id)).runs.running).toBe(0);
	const { state, runs, experiments } = await jobOf(id);
	expect(state).toBe("cancelled");
	const listed = async (query: string) =>
		(await server.get(`${JOBS}?dataset_id=${dataset}&${query}`)).json.data.map((job: { id: string }) => job.id);
	expect(await listed("state=done&state=cancelled")).toEqual([id]);
	expect(await listed("state=done")).toEqual([]);
	expect(runs.done + runs.skipped).toBe(300);
	expect(await runsOf(experiments[0].id)).toHaveLength(runs.done);
});

it("E35 pauses before its calls could cost more than it may, and ends when that is raised", async () => {
	const dataset = await datasetOf(20);
	const limits = { max_cost_usd: 0.0004, dataset_id: dataset, variants: [variant("stand-in")] };
	const id = await started(limits);
	const paused = await rested(id);
	expect(paused).toMatchObject({ state: "paused", reason: "cost_limit", error: expect.stringContaining("this job") });
	expect(paused.cost_usd).toBeLessThanOrEqual(0.0004);
	await server.call("PATCH", `${JOBS}/${id}`, { state: "running", max_cost_usd: 1 });
	expect(await rested(id)).toMatchObject({ state: "done", runs: { done: 20, failed: 0 } });
	expect(await provider.requests()).toHaveLength(20);
});

it("E36 a wrong key pauses it after ten failures, and only the failed are done again", async () => {
	const dataset = await datasetOf(30);
	await provider.control({ keys: ["right"] });
	const url = `/v1/model_connections/${connection}`;
	const useKey = async (value: string) => {
		const changed = await server.call("PATCH", url, { credentials: { api_key: { value } } });
		expect(changed.status, changed.text).toBe(200);
	};
	await useKey("wrong");
	const id = await started({ dataset_id: dataset, variants: [variant("stand-in")] });
	const paused = await rested(id);
	expect(paused).toMatchObject({
		state: "paused",
		reason: "failing",
		error: expect.stringContaining("authentication"),
	});
	expect(paused.runs.failed).toBeLessThan(30);
	await useKey("right");
	await server.call("PATCH", `${JOBS}/${id}`, { state: "running" });
	const rest = await rested(id);
	expect(rest.runs).toMatchObject({ failed: paused.runs.failed, done: 30 - paused.runs.failed });
	const before = (await provider.requests()).length;
	expect((await server.call("POST", `${JOBS}/${id}/retry`)).status).toBe(202);
	expect((await rested(id)).runs).toMatchObject({ failed: 0, done: 30 });
	expect((await provider.requests()).length - before).toBe(paused.runs.failed);
});

it("E17 loses none of 50 runs and records none twice, though the provider asks to wait", async () => {
	const dataset_id = await datasetOf(50);
	const model = "stand-in-limited+status-429-retry-1+times-1";
	const done = await rested(await started({ dataset_id, variants: [variant(model)] }));
	expect(done).toMatchObject({ state: "done", runs: { total: 50, done: 50, failed: 0 } });
	const runs = await runsOf(done.experiments[0].id);
	expect(runs).toHaveLength(50);
	expect(new Set(runs.map((run: { dataset_example_id: string }) => run.dataset_example_id)).size).toBe(50);
	expect(runs.every((run: { error: string | null }) => run.error === null)).toBe(true);
});

it("E38 an experiment opens in the playground as it ran: messages, parameters, model, and what gave the variables", async () => {
	const dataset_id = await datasetOf(1);
	const variables = { question: { path: "input.question" } };
	const sent = { ...variant("stand-in-opened"), template_format: "MUSTACHE" };
	const { experiments } = await rested(await started({ dataset_id, variants: [sent], variables }));
	const experiment_id = experiments[0].id;
	const { task } = (await server.get(`/v1/experiments/${experiment_id}`)).json.data;
	expect(task).toMatchObject({ variant: sent, variables });
	const { json } = await server.get(`/v1/playground/sources?experiment_id=${experiment_id}`);
	expect(json.data).toMatchObject({ variant: sent, prompt_version_id: null, not_captured: [] });
});

it("E19 keeps the beginning of an answer of more than 4 MiB, and says that it is cut", async () => {
	const dataset_id = await datasetOf(1);
	const { experiments } = await rested(await started({ dataset_id, variants: [variant("stand-in+flood-5")] }));
	const [{ output }] = await runsOf(experiments[0].id);
	expect(output).toEqual({ text: expect.any(String), finish_reason: "stop", truncated: true });
	expect(output.text).toHaveLength(4 * 1_024 * 1_024);
});

async function createContains(): Promise<string> {
	const name = `contains-${serial}`;
	const builtin = { key: "contains", parameters: { texts: ["You said"] } };
	await create("/v1/evaluators", { name, version: { kind: "BUILT_IN", builtin } });
	return name;
}

it("E36 built-in evaluators that fail alike pause it, too, and what they have not looked at is left to do", async () => {
	const dataset = await datasetOf(30);
	const { experiments } = await rested(await started({ dataset_id: dataset, variants: [variant("stand-in")] }));
	const evaluator_id = await createContains();
	const of = { kind: "evaluate", experiment_id: experiments[0].id };
	const evaluate = (path: string) => started({ ...of, evaluators: [{ evaluator_id, mapping: { output: { path } } }] });
	expect(await rested(await evaluate("metadata.nothing"))).toMatchObject({
		...{ state: "paused", reason: "failing", error: expect.stringContaining("missing_input") },
		evaluations: { total: 30, done: 0, failed: 10, running: 0, retried: 0 },
	});
	expect(await rested(await evaluate("output_text"))).toMatchObject({ state: "done", evaluations: { done: 30 } });
});

it("evaluates by built-in evaluators beside judges, whatever the order of their tasks", async () => {
	const dataset = await datasetOf(12);
	const { experiments } = await rested(await started({ dataset_id: dataset, variants: [variant("stand-in")] }));
	await create("/v1/evaluators", {
		name: `judge-${serial}`,
		version: {
			...{ kind: "LLM", inputs: [{ name: "output" }], mapping: { run: { output: { path: "output_text" } } } },
			outputs: [{ name: "judged", type: "categorical", labels: [{ label: "good" }, { label: "bad" }] }],
			variant: { ...variant("stand-in"), label: undefined, messages: [{ role: "user", content: "Judge: {{output}}" }] },
		},
	});
	const contains = { evaluator_id: await createContains(), mapping: { output: { path: "output_text" } } };
	const evaluators = [{ evaluator_id: `judge-${serial}` }, contains];
	const id = await started({ kind: "evaluate", experiment_id: experiments[0].id, evaluators });
	expect(await rested(id)).toMatchObject({ state: "done", evaluations: { total: 24, done: 24, retried: 0 } });
	const records = (await server.get(`/v1/experiments/${experiments[0].id}/json`)).json;
	for (const { annotations } of records)
		expect(annotations).toMatchObject([
			{ annotator_kind: "CODE", score: 1 },
			{ name: "judged", annotator_kind: "LLM" },
		]);
});

it("E39 a dataset that is deleted ends its job with the reason", async () => {
	const dataset = await datasetOf(200);
	const id = await started({ dataset_id: dataset, variants: [variant("stand-in+slow-200")] });
	await expect.poll(async () => (await jobOf(id)).runs.done).toBeGreaterThan(0);
	expect((await server.call("DELETE", `/v1/datasets/${dataset}`)).status).toBe(204);
	const { read } = server.context.db;
	const stateOf = () =>
		read.selectFrom("experiment_jobs").select(["state", "reason"]).orderBy("id", "desc").executeTakeFirst();
	await expect.poll(stateOf).toEqual({ state: "failed", reason: "dataset_deleted" });
	expect((await server.get(`${JOBS}/${id}`)).status).toBe(404);
});

it("E37 evaluators of the dataset look at runs that clients record, and leave what people wrote", async () => {
	const dataset = await datasetOf(1);
	const evaluator = await create("/v1/evaluators", {
		name: `exact-${serial}`,
		version: { kind: "BUILT_IN", builtin: { key: "exact_match", parameters: {} } },
	});
	const mapping = { output: { path: "output" }, expected: { path: "expected.answer" } };
	const put = await server.call("PUT", `/v1/datasets/${dataset}/evaluators/${evaluator}`, { mapping });
	expect(put.status, put.text).toBe(200);
	const name = put.json.data.evaluator.outputs[0];
	const experiment = await create(`/v1/datasets/${dataset}/experiments`, { repetitions: 2 });
	const example = (await server.get(`/v1/datasets/${dataset}/examples`)).json.data.examples[0].id;
	const record = (repetition: number, output: string) =>
		create(`/v1/experiments/${experiment}/runs`, {
			...{ dataset_example_id: example, output, repetition_number: repetition },
			...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" },
		});
	await record(1, "1");
	const evaluations = async () => (await server.get(`/v1/experiments/${experiment}/json`)).json;
	await expect
		.poll(async () => (await evaluations())[0].annotations)
		.toMatchObject([{ name, annotator_kind: "CODE", score: 1 }]);
	const run = await record(2, "2");
	await create("/v1/experiment_evaluations", {
		...{ experiment_run_id: run, name, annotator_kind: "HUMAN", result: { label: "fine", score: 0.5 } },
		...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" },
	});
	const jobs = (await server.get(`${JOBS}?experiment_id=${experiment}`)).json.data;
	expect(jobs).toHaveLength(1);
	await rested(jobs[0].id);
	expect((await evaluations())[1].annotations).toMatchObject([{ annotator_kind: "HUMAN", label: "fine" }]);
});

it("names what is wrong with a job before it is stored", async () => {
	const dataset = await datasetOf(2);
	const bad = async (body: object) =>
		(await server.call("POST", JOBS, { kind: "run", dataset_id: dataset, ...body })).json.detail;
	const gone = encodeGlobalId("ModelConnection", 999);
	expect(await bad({ variants: [{ ...variant("m"), connection_id: gone }] })).toMatchObject([
		{ loc: ["body", "variants", 0, "connection_id"], msg: "there is no such model connection" },
	]);
	const { problems, cost_usd, unpriced_models } = (
		await server.call("POST", `${JOBS}/estimate`, {
			...{ kind: "run", dataset_id: dataset },
			variants: [{ ...variant("m"), messages: [{ role: "user", content: "{{nothing}}" }] }, variant("unpriced")],
		})
	).json.data;
	expect(problems).toEqual([{ variant: 0, message: expect.stringContaining("nothing") }]);
	expect({ cost_usd, unpriced_models }).toEqual({ cost_usd: null, unpriced_models: ["unpriced"] });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { evaluation, makeDataset, run, type TestDataset } from "./test-datasets.ts";

let server: TestApp;
let dataset: TestDataset;
beforeAll(async () => {
	server = await openTestApp();
	dataset = await makeDataset(server.context, 3, { name: "train", examples: 2 });
});
afterAll(() => server[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function create(body: object = {}, of = dataset): Promise<any> {
	const { status, json, text } = await server.call("POST", `/v1/datasets/${of.id}/experiments`, body);
	expect(status, text).toBe(200);
	return json.data;
}

async function runId(experimentId: string, exampleId: string | undefined, override: object = {}): Promise<string> {
	const body = run(exampleId ?? "", override);
	const { status, json, text } = await server.call("POST", `/v1/experiments/${experimentId}/runs`, body);
	expect(status, text).toBe(200);
	return json.data.id;
}

test("an experiment has the examples of the newest version and a project of its own", async () => {
	const experiment = await create({ repetitions: 2, metadata: { n: 1 } });
	expect(experiment).toMatchObject({
		dataset_id: dataset.id,
		dataset_version_id: dataset.versionId,
		description: null,
		repetitions: 2,
		metadata: { n: 1 },
		project_name: expect.stringMatching(/^Experiment-[0-9a-f]{24}$/),
		example_count: 3,
		successful_run_count: 0,
		failed_run_count: 0,
		missing_run_count: 6,
		user_id: null,
		tags: [],
		scores: {},
		average_latency_ms: null,
		error_rate: null,
		total_cost: null,
		total_tokens: 0,
	});
	expect(experiment.name).toMatch(/^question-[0-9a-f]{8}$/);
	const { json } = await server.get(`/v1/experiments/${experiment.id}`);
	expect(json.data).toEqual(experiment);
});

test("an experiment of a split has the examples of the split", async () => {
	const experiment = await create({ splits: ["train"] });
	expect(experiment.example_count).toBe(2);
	const foreign = await server.call("POST", `/v1/experiments/${experiment.id}/runs`, run(dataset.exampleIds[2] ?? ""));
	expect(foreign.status).toBe(404);
	const { json } = await server.get(`/v1/experiments/${experiment.id}/incomplete-runs`);
	expect(json.data.map((item: { dataset_example: { id: string } }) => item.dataset_example.id)).toEqual(
		dataset.exampleIds.slice(0, 2),
	);
});

test.each([
	["no repetitions", { repetitions: 0 }, 422],
	["too many repetitions", { repetitions: 1_001 }, 422],
	["an unknown split", { splits: ["no such"] }, 404],
	["a version id that is none", { version_id: "x" }, 422],
	["an unknown version", { version_id: Buffer.from("DatasetVersion:999").toString("base64") }, 404],
	["a name with a NUL", { name: "a\0" }, 422],
])("refuses an experiment with %s", async (_what, body, status) => {
	expect((await server.call("POST", `/v1/datasets/${dataset.id}/experiments`, body)).status).toBe(status);
});

test("the list of projects includes the project of an experiment only on request", async () => {
	const { project_name } = await create();
	const names = async (query: string) => {
		const { json } = await server.get(`/v1/projects?limit=1000${query}`);
		return json.data.map((project: { name: string }) => project.name);
	};
	expect(await names("")).not.toContain(project_name);
	expect(await names("&include_dataset_evaluator_projects=true")).not.toContain(project_name);
	expect(await names("&include_experiment_projects=true")).toContain(project_name);
});

test("lists page through the experiments of one dataset and of all, newest first", async () => {
	const other = await makeDataset(server.context, 1);
	const ids = [(await create({}, other)).id, (await create({}, other)).id, (await create({}, other)).id];
	const first = await server.get(`/v1/datasets/${other.id}/experiments?limit=2`);
	expect(first.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
	const second = await server.get(`/v1/experiments?dataset_id=${other.id}&limit=2&cursor=${first.json.next_cursor}`);
	expect(second.json.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
	expect(second.json.next_cursor).toBeNull();
	expect((await server.get("/v1/experiments?limit=1")).json.data[0].id).toBe(ids[2]);
	expect((await server.get("/v1/experiments?cursor=UHJvamVjdDox")).status).toBe(422);
});

test("a successful run stays; a failed one is replaced and loses its evaluations by programs", async () => {
	const experiment = await create();
	const [example] = dataset.exampleIds;
	const failed = await runId(experiment.id, example, { error: "timeout", output: null });
	await server.call("POST", "/v1/experiment_evaluations", evaluation(failed, "judge", { annotator_kind: "LLM" }));
	await server.call("POST", "/v1/experiment_evaluations", evaluation(failed, "mine", { annotator_kind: "HUMAN" }));
	expect(await runId(experiment.id, example, { output: "four", id: "temp-1", experiment_id: "ignored" })).toBe(failed);
	const again = await server.call("POST", `/v1/experiments/${experiment.id}/runs`, run(example ?? ""));
	expect(again.status).toBe(409);
	expect(again.text).toBe(`Experiment run ${failed} already exists with a successful result and cannot be updated`);
	const { json } = await server.get(`/v1/experiments/${experiment.id}/json`);
	expect(json).toHaveLength(1);
	expect(json[0]).toMatchObject({ output: "four", error: null, annotations: [{ name: "mine" }] });
});

test.each([
	["an example id that is none", { dataset_example_id: "x" }, 422],
	["an unknown example", { dataset_example_id: Buffer.from("DatasetExample:999").toString("base64") }, 404],
	["a repetition that the experiment does not have", { repetition_number: 2 }, 422],
	["repetition 0", { repetition_number: 0 }, 422],
	["no output", { output: undefined }, 422],
	["a time out of range", { start_time: "9999-01-01T00:00:00Z" }, 422],
	["an output that nests too deeply", { output: JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) }, 422],
])("refuses a run with %s", async (_what, override, status) => {
	const experiment = await create();
	const body = run(dataset.exampleIds[0] ?? "", override);
	expect((await server.call("POST", `/v1/experiments/${experiment.id}/runs`, body)).status).toBe(status);
});

test("of many runs of one repetition sent at once, one is kept", async () => {
	const experiment = await create();
	const url = `/v1/experiments/${experiment.id}/runs`;
	const answers = await Promise.all(
		Array.from({ length: 8 }, (_, n) => server.call("POST", url, run(dataset.exampleIds[0] ?? "", { output: n }))),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
	expect((await server.get(url)).json.data).toHaveLength(1);
});

test("runs are listed newest first, in pages or whole, with every digit of their output", async () => {
	const experiment = await create();
	const ids = [];
	for (const example of dataset.exampleIds) ids.push(await runId(experiment.id, example));
	const url = `/v1/experiments/${experiment.id}/runs`;
	const whole = await server.get(url);
	expect(whole.json.next_cursor).toBeNull();
	expect(whole.json.data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
	const first = await server.get(`${url}?limit=2`);
	expect(first.json.data).toEqual(whole.json.data.slice(0, 2));
	const second = await server.get(`${url}?limit=2&cursor=${first.json.next_cursor}`);
	expect(second.json).toEqual({ data: whole.json.data.slice(2), next_cursor: null });
	expect(whole.json.data[0]).toEqual({
		id: ids[2],
		experiment_id: experiment.id,
		dataset_example_id: dataset.exampleIds[2],
		output: { answer: 4 },
		repetition_number: 1,
		start_time: "2026-01-01T00:00:00+00:00",
		end_time: "2026-01-01T00:00:00.250000+00:00",
		trace_id: null,
		error: null,
	});
});

test("an output keeps integers beyond 2^53", async () => {
	const experiment = await create();
	const payload = JSON.stringify(run(dataset.exampleIds[0] ?? "", { output: "DIGITS" })).replace(
		'"DIGITS"',
		'{"big":12345678901234567890}',
	);
	const headers = { "content-type": "application/json" };
	const url = `/v1/experiments/${experiment.id}/runs`;
	expect((await server.app.inject({ method: "POST", url, payload, headers })).statusCode).toBe(200);
	expect((await server.get(url)).text).toContain('"output":{"big":12345678901234567890}');
	expect((await server.get(`${url}?limit=1`)).text).toContain('"output":{"big":12345678901234567890}');
});

test("an evaluation replaces the one of its name, and needs a result or an error", async () => {
	const experiment = await create();
	const id = await runId(experiment.id, dataset.exampleIds[0]);
	const url = "/v1/experiment_evaluations";
	const first = await server.call("POST", url, evaluation(id, "judge", { result: { label: "no", score: 0 } }));
	const second = await server.call(
		"POST",
		url,
		evaluation(id, "judge", { result: { score: 1, metadata: { b: 2 } }, metadata: { a: 1 }, error: null }),
	);
	expect(second.json.data.id).toBe(first.json.data.id);
	const { json } = await server.get(`/v1/experiments/${experiment.id}/json`);
	expect(json[0].annotations).toEqual([
		{
			name: "judge",
			annotator_kind: "CODE",
			label: null,
			score: 1,
			explanation: null,
			trace_id: null,
			error: null,
			metadata: { a: 1, b: 2 },
			start_time: "2026-01-01T00:00:00+00:00",
			end_time: "2026-01-01T00:00:01+00:00",
		},
	]);
	const huge = JSON.stringify(evaluation(id, "huge")).replace('"score":1', '"score":12345678901234567890');
	const headers = { "content-type": "application/json" };
	expect((await server.app.inject({ method: "POST", url, payload: huge, headers })).statusCode).toBe(200);
	expect((await server.call("POST", url, evaluation(id, "judge", { result: null }))).status).toBe(422);
	expect((await server.call("POST", url, evaluation("x", "judge"))).status).toBe(422);
	const unknown = Buffer.from("ExperimentRun:999999").toString("base64");
	expect((await server.call("POST", url, evaluation(unknown, "judge"))).status).toBe(404);
	expect((await server.call("POST", url, evaluation(experiment.id, "judge"))).status).toBe(404);
});

test("metadata is bounded", async () => {
	const metadata = { text: "x".repeat(40_000) };
	const experiment = await create({ metadata });
	const id = await runId(experiment.id, dataset.exampleIds[0]);
	const twice = { metadata: { a: metadata }, result: { score: 1, metadata: { b: metadata } } };
	for (const [url, body] of [
		[`/v1/datasets/${dataset.id}/experiments`, { metadata: { a: metadata, b: metadata } }],
		["/v1/experiment_evaluations", evaluation(id, "judge", twice)],
	] as const) {
		expect((await server.call("POST", url, body)).status).toBe(422);
	}
});

test("names of evaluations in an experiment are bounded", async () => {
	const experiment = await create();
	const id = await runId(experiment.id, dataset.exampleIds[0]);
	for (let n = 0; n < 200; n++) await server.call("POST", "/v1/experiment_evaluations", evaluation(id, `m${n}`));
	const answer = await server.call("POST", "/v1/experiment_evaluations", evaluation(id, "one more"));
	expect(answer.status).toBe(422);
	expect((await server.call("POST", "/v1/experiment_evaluations", evaluation(id, "m7"))).status).toBe(200);
});

test("incomplete runs are the repetitions that are missing or failed", async () => {
	const experiment = await create({ repetitions: 3 });
	const [first, second, third] = dataset.exampleIds;
	for (const repetition_number of [1, 2, 3]) await runId(experiment.id, first, { repetition_number });
	await runId(experiment.id, second, { repetition_number: 2 });
	await runId(experiment.id, second, { repetition_number: 3, error: "no" });
	const url = `/v1/experiments/${experiment.id}/incomplete-runs`;
	const page = await server.get(`${url}?limit=1`);
	expect(page.json.data).toEqual([
		{
			dataset_example: {
				id: second,
				node_id: second,
				input: { n: 2 },
				output: { square: 4 },
				metadata: { level: "easy" },
				updated_at: expect.any(String),
				source: null,
			},
			repetition_numbers: [1, 3],
		},
	]);
	const next = await server.get(`${url}?limit=1&cursor=${page.json.next_cursor}`);
	expect(next.json.data[0]).toMatchObject({ dataset_example: { id: third }, repetition_numbers: [1, 2, 3] });
	expect(next.json.next_cursor).toBeNull();
	const { json } = await server.get(`/v1/experiments/${experiment.id}`);
	expect(json.data).toMatchObject({
		successful_run_count: 4,
		failed_run_count: 1,
		missing_run_count: 4,
		error_rate: 0.2,
	});
});

test("incomplete evaluations are of successful runs that lack a successful one", async () => {
	const experiment = await create();
	const [a, b, c] = dataset.exampleIds;
	const complete = await runId(experiment.id, a);
	const partial = await runId(experiment.id, b);
	await runId(experiment.id, c, { error: "no" });
	for (const name of ["x", "y"]) {
		await server.call("POST", "/v1/experiment_evaluations", evaluation(complete, name));
	}
	await server.call("POST", "/v1/experiment_evaluations", evaluation(partial, "x"));
	await server.call("POST", "/v1/experiment_evaluations", evaluation(partial, "y", { result: null, error: "no" }));
	const url = `/v1/experiments/${experiment.id}/incomplete-evaluations`;
	const { json } = await server.get(`${url}?evaluation_name=x&evaluation_name=y&evaluation_name=x`);
	expect(json.data).toEqual([
		{
			experiment_run: expect.objectContaining({ id: partial }),
			dataset_example: expect.objectContaining({ id: b, input: { n: 2 } }),
			evaluation_names: ["y"],
		},
	]);
	const paged = await server.get(`${url}?evaluation_name=z&limit=1`);
	expect(paged.json.data[0].experiment_run.id).toBe(complete);
	const rest = await server.get(`${url}?evaluation_name=z&limit=1&cursor=${paged.json.next_cursor}`);
	expect(rest.json.data[0].experiment_run.id).toBe(partial);
	const none = await server.get(url);
	expect([none.status, none.text]).toEqual([400, "At least one evaluation_name must be provided"]);
});

test("an experiment without runs downloads as an empty list, and as a table without rows", async () => {
	const experiment = await create({ name: 'a "quoted" näme\\' });
	const json = await server.get(`/v1/experiments/${experiment.id}/json`);
	expect([json.status, json.text]).toEqual([200, "[]"]);
	expect(json.headers["content-disposition"]).toBe(
		`attachment; filename="a _quoted_ n_me_.json"; filename*=UTF-8''a%20%22quoted%22%20n%C3%A4me%5C.json`,
	);
	const csv = await server.get(`/v1/experiments/${experiment.id}/csv`);
	expect(csv.text).toBe(
		"example_id,repetition_number,input,reference_output,output,metadata,error,latency_ms,start_time,end_time,trace_id,prompt_token_count,completion_token_count\r\n",
	);
});

test("downloads have every run by example and repetition, with its tokens and evaluations", async () => {
	const experiment = await create({ repetitions: 2 });
	const [a, b] = dataset.exampleIds;
	const traceId = "ab".repeat(16);
	await server.send(
		[
			{
				traceId,
				attributes: {
					"openinference.span.kind": { stringValue: "LLM" },
					"llm.token_count.prompt": { intValue: 7 },
					"llm.token_count.completion": { intValue: 3 },
					"llm.cost.total": { doubleValue: 0.5 },
				},
			},
		],
		experiment.project_name,
	);
	await runId(experiment.id, b, { output: 'say "hi",\nplease' });
	await runId(experiment.id, a, { repetition_number: 2, output: [1], error: "no" });
	const id = await runId(experiment.id, a, { trace_id: traceId });
	await server.call(
		"POST",
		"/v1/experiment_evaluations",
		evaluation(id, "f1", { result: { score: 0.25, label: "low", explanation: "=1+1" } }),
	);
	const { json } = await server.get(`/v1/experiments/${experiment.id}/json`);
	const keys = json.map((item: { example_id: string; repetition_number: number }) => [
		item.example_id,
		item.repetition_number,
	]);
	expect(keys).toEqual([
		[a, 1],
		[a, 2],
		[b, 1],
	]);
	expect(json[0]).toMatchObject({
		input: { n: 1 },
		reference_output: { square: 1 },
		output: { answer: 4 },
		latency_ms: 250,
		trace_id: traceId,
		prompt_token_count: 7,
		completion_token_count: 3,
	});
	expect(json[1]).toMatchObject({ error: "no", prompt_token_count: null, annotations: [] });
	const csv = (await server.get(`/v1/experiments/${experiment.id}/csv`)).text;
	const [header = "", first = ""] = csv.split("\r\n");
	expect(header).toContain(",annotation_f1_label,annotation_f1_score,annotation_f1_explanation,");
	expect(first).toContain('"{""n"":1}"');
	expect(first).toContain(",7,3,low,0.25,'=1+1,");
	expect(csv).toContain('"say ""hi"",\nplease"');
	expect((await server.get(`/v1/experiments/${experiment.id}/csv?escape_formulas=false`)).text).toContain(
		",7,3,low,0.25,=1+1,",
	);
	const { data } = (await server.get(`/v1/experiments/${experiment.id}`)).json;
	expect(data).toMatchObject({ total_tokens: 10, total_cost: 0.5, average_latency_ms: 250 });
});

test("scores are means of the examples' means, with their standard error", async () => {
	const experiment = await create({ repetitions: 2 });
	const [a, b] = dataset.exampleIds;
	const scored = async (example: string | undefined, repetition_number: number, score: number | null) => {
		const id = await runId(experiment.id, example, { repetition_number });
		const result = { score, label: "l" };
		await server.call("POST", "/v1/experiment_evaluations", evaluation(id, "f1", { result }));
	};
	await scored(a, 1, 0);
	await scored(a, 2, 1);
	await scored(b, 1, 1);
	await scored(b, 2, null);
	const { json } = await server.get(`/v1/experiments/${experiment.id}`);
	expect(json.data.scores).toEqual({ f1: { mean: 0.75, count: 2, standard_error: expect.closeTo(0.25, 12) } });
});

test("lists are sorted by results, page by page, and experiments without one come last", async () => {
	const other = await makeDataset(server.context, 1);
	const [example] = other.exampleIds;
	const results = { slow: 0.2, empty: undefined, fast: 0.9, failed: 0.5 };
	for (const [name, score] of Object.entries(results)) {
		const { id } = await create({ name }, other);
		if (score === undefined) continue;
		const end_time = name === "slow" ? "2026-01-01T00:00:09+00:00" : "2026-01-01T00:00:01+00:00";
		const failed = name === "failed" ? { error: "no" } : {};
		const ran = await runId(id, example, { end_time, ...failed });
		await server.call("POST", "/v1/experiment_evaluations", evaluation(ran, "f1", { result: { score } }));
	}
	const names = async (query: string) => {
		const all: string[] = [];
		let cursor: string | null = "";
		while (cursor !== null) {
			const page = `limit=2&cursor=${encodeURIComponent(cursor)}&${query}`;
			const { json } = await server.get(`/v1/datasets/${other.id}/experiments?${page}`);
			all.push(...json.data.map(({ name }: { name: string }) => name));
			cursor = json.next_cursor;
		}
		return all;
	};
	expect(await names("sort=score.f1")).toEqual(["fast", "failed", "slow", "empty"]);
	expect(await names("sort=score.f1&order=asc")).toEqual(["slow", "failed", "fast", "empty"]);
	expect(await names("sort=average_latency_ms")).toEqual(["slow", "failed", "fast", "empty"]);
	expect((await names("sort=error_rate"))[0]).toBe("failed");
	expect(await names("order=asc")).toEqual(["slow", "empty", "fast", "failed"]);
	expect((await server.get(`/v1/experiments?sort=name`)).status).toBe(422);
});

test("name, description and metadata change, unless based on an outdated state", async () => {
	const experiment = await create({ name: "first" });
	const url = `/v1/experiments/${experiment.id}`;
	const etag = String((await server.get(url)).headers["etag"]);
	const changed = await server.call("PATCH", url, { name: "second", description: "d", metadata: { a: 1 } });
	expect(changed.json.data).toMatchObject({ name: "second", description: "d", metadata: { a: 1 } });
	expect((await server.call("PATCH", url, { description: null })).json.data.description).toBeNull();
	expect((await server.call("PATCH", url, { name: "lost" }, { "if-match": etag })).status).toBe(412);
	expect((await server.call("DELETE", url, undefined, { "if-match": etag })).status).toBe(412);
	const nothing = await server.call("PATCH", url, {});
	expect([nothing.status, nothing.text]).toEqual([422, "No fields to update"]);
	expect((await server.call("PATCH", url, { name: null })).status).toBe(422);
	expect((await server.call("PATCH", url, { metadata: null })).status).toBe(422);
});

test("a tag is on one experiment of the dataset, and is removed only from that one", async () => {
	const [a, b] = [await create(), await create()];
	const set = (id: string) => server.call("POST", `/v1/experiments/${id}/tags`, { name: "baseline", description: "d" });
	const first = (await set(a.id)).json.data;
	expect(first).toEqual({ id: expect.any(String), name: "baseline", description: "d" });
	expect((await set(b.id)).json.data.id).toBe(first.id);
	expect((await server.get(`/v1/experiments/${a.id}/tags`)).json).toEqual({ data: [] });
	expect((await server.call("DELETE", `/v1/experiments/${a.id}/tags/baseline`)).status).toBe(204);
	expect((await server.get(`/v1/experiments/${b.id}`)).json.data.tags).toEqual(["baseline"]);
	expect((await server.call("DELETE", `/v1/experiments/${b.id}/tags/${first.id}`)).status).toBe(204);
	expect((await server.get(`/v1/experiments/${b.id}/tags`)).json).toEqual({ data: [] });
	expect((await server.call("POST", `/v1/experiments/${a.id}/tags`, { name: "No Spaces" })).status).toBe(422);
});

test("setting one tag many times at once leaves it on one experiment", async () => {
	const experiments = [await create(), await create(), await create()];
	const answers = await Promise.all(
		[...experiments, ...experiments].map(({ id }) =>
			server.call("POST", `/v1/experiments/${id}/tags`, { name: "contested" }),
		),
	);
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
	const tags = await Promise.all(experiments.map(({ id }) => server.get(`/v1/experiments/${id}/tags`)));
	expect(tags.flatMap(({ json }) => json.data)).toHaveLength(1);
});

test("an experiment is deleted with its runs, and with its project on request", async () => {
	const [kept, gone] = [await create(), await create()];
	for (const { id } of [kept, gone]) {
		const run = await runId(id, dataset.exampleIds[0]);
		await server.call("POST", "/v1/experiment_evaluations", evaluation(run, "judge"));
	}
	expect((await server.call("DELETE", `/v1/experiments/${kept.id}`)).status).toBe(204);
	expect((await server.call("DELETE", `/v1/experiments/${gone.id}?delete_project=true`)).status).toBe(204);
	expect((await server.get(`/v1/experiments/${gone.id}`)).status).toBe(404);
	expect((await server.call("DELETE", `/v1/experiments/${gone.id}`)).status).toBe(404);
	expect((await server.get(`/v1/projects/${kept.project_name}`)).status).toBe(200);
	expect((await server.get(`/v1/projects/${gone.project_name}`)).status).toBe(404);
});

test("an experiment outlives its project", async () => {
	const experiment = await create();
	await server.call("DELETE", `/v1/projects/${experiment.project_name}`);
	const { json } = await server.get(`/v1/experiments/${experiment.id}`);
	expect(json.data).toMatchObject({ id: experiment.id, project_name: null });
	await runId(experiment.id, dataset.exampleIds[0], { trace_id: "not hex" });
	expect((await server.get(`/v1/experiments/${experiment.id}/json`)).json).toHaveLength(1);
});

test("members make experiments, which name their author; viewers read them and change nothing", async () => {
	await using secured = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { id, exampleIds } = await makeDataset(secured.context, 1);
	const [member, viewer] = [await secured.signedIn("MEMBER", "key"), await secured.signedIn("VIEWER")];
	const url = `/v1/datasets/${id}/experiments`;
	const { data } = (await secured.call("POST", url, {}, member.headers)).json;
	expect(data.user_id).toBe(Buffer.from(`User:${member.userId}`).toString("base64"));
	const runs = `/v1/experiments/${data.id}/runs`;
	const made = await secured.call("POST", runs, run(exampleIds[0] ?? ""), member.headers);
	const evaluated = evaluation(made.json.data.id, "judge");
	for (const refused of [
		await secured.call("POST", url, {}, viewer.headers),
		await secured.call("POST", runs, run(exampleIds[0] ?? ""), viewer.headers),
		await secured.call("POST", "/v1/experiment_evaluations", evaluated, viewer.headers),
		await secured.call("POST", `/v1/experiments/${data.id}/tags`, { name: "baseline" }, viewer.headers),
		await secured.call("PATCH", `/v1/experiments/${data.id}`, { name: "x" }, viewer.headers),
		await secured.call("DELETE", `/v1/experiments/${data.id}?delete_project=true`, undefined, viewer.headers),
	]) {
		expect(refused.status).toBe(403);
	}
	for (const path of [runs, `/v1/experiments/${data.id}`, `/v1/experiments/${data.id}/json`]) {
		expect((await secured.get(path, viewer.headers)).status).toBe(200);
	}
	const deleted = await secured.call(
		"DELETE",
		`/v1/experiments/${data.id}?delete_project=true`,
		undefined,
		member.headers,
	);
	expect(deleted.status).toBe(204);
});

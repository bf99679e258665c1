import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/review_queues";
const PROBLEM = { accept: "application/problem+json" };
const TIMES = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
const RUNS = 4;

let server: TestApp;
let admin: TestPrincipal;
let lead: TestPrincipal;
let people: readonly TestPrincipal[];
let label: string;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	[admin, lead] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	people = await Promise.all([1, 2].map(() => server.signedIn("MEMBER")));
	const values = [
		{ label: "good", score: 1 },
		{ label: "bad", score: 0 },
	];
	const config = { name: "verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE", values };
	label = (await create("/v1/annotation_configs", config)).id;
});
afterAll(() => server[Symbol.asyncDispose]());

async function create(path: string, body: object, who = admin) {
	const { status, json, text } = await server.call("POST", path, body, who.headers);
	expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), expect.anything()]);
	return json.data;
}

const call = (method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body: unknown, who: TestPrincipal) =>
	server.call(method, `${PATH}${path}`, body, { ...who.headers, ...PROBLEM });
const get = async (path: string, who = lead) => await server.get(path, { ...who.headers, ...PROBLEM });
const getQueue = async (id: string, who = lead) => (await get(`${PATH}/${id}`, who)).json.data;

let made = 0;
interface Made {
	readonly dataset: string;
	readonly experiment: string;
	/** The last one failed. */
	readonly runs: readonly string[];
}

/** An experiment, in the library unless a project is named, whose runs were evaluated as `verdict` by a model. */
async function makeExperiment(project?: string): Promise<Made> {
	made += 1;
	const inputs = Array.from({ length: RUNS }, (_, n) => ({ n }));
	const outputs = inputs.map(({ n }) => ({ square: n * n }));
	const body = { action: "create", name: `squares ${made}`, inputs, outputs, ...(project && { project }) };
	const { dataset_id: dataset } = await create("/v1/datasets/upload?sync=true", body);
	const { id: experiment } = await create(`/v1/datasets/${dataset}/experiments`, {});
	const examples = (await get(`/v1/datasets/${dataset}/examples`, admin)).json.data.examples;
	const runs: string[] = [];
	for (const [index, example] of examples.entries()) {
		const failed = index === RUNS - 1;
		const run = await create(`/v1/experiments/${experiment}/runs`, {
			...{ dataset_example_id: example.id, output: failed ? null : { answer: index }, repetition_number: 1 },
			...{ trace_id: "a".repeat(31) + index, error: failed ? "too hard" : null, ...TIMES },
		});
		runs.push(run.id);
		const result = { label: "good", score: 1 };
		await create("/v1/experiment_evaluations", {
			...{ experiment_run_id: run.id, name: "verdict", annotator_kind: "LLM", result, ...TIMES },
		});
	}
	return { dataset, experiment, runs };
}

async function makeQueue(more: object = {}): Promise<string> {
	made += 1;
	const body = { name: `runs ${made}`, target: "experiment_run", questions: [{ annotation_config_id: label }] };
	return (await create(PATH, { ...body, ...more }, lead)).id;
}

const person = (at: number): TestPrincipal => {
	const found = people[at];
	if (found === undefined) throw new Error(`there is no person ${at}`);
	return found;
};

const next = async (queue: string, who: TestPrincipal) => {
	const answer = await call("POST", `/${queue}/next`, undefined, who);
	return answer.status === 204 ? undefined : answer.json.data;
};
const answers = (verdict: string) => ({ answers: [{ annotation_config_id: label, label: verdict }] });

async function review(queue: string, who: TestPrincipal, verdict: string) {
	const turn = await next(queue, who);
	const sent = await call("POST", `/${queue}/items/${turn.item.id}/review`, answers(verdict), who);
	expect([sent.status, sent.text]).toEqual([200, expect.anything()]);
	return sent.json.data;
}

/** Everything that says what was judged about an experiment. */
async function readJudgements({ dataset, experiment, runs }: Made, who = lead): Promise<readonly string[]> {
	const paths = [
		...[`/v1/experiments/${experiment}/json`, `/v1/experiments/${experiment}/csv`, `/v1/experiments/${experiment}`],
		`/v1/datasets/${dataset}/experiments/compare?experiment_id=${experiment}`,
		`/v1/experiments/${experiment}/gate?require=${encodeURIComponent("mean('verdict') >= 0.5")}`,
		`/v1/experiments/${experiment}/incomplete-evaluations?evaluation_name=verdict`,
		...runs.map((run) => `/v1/experiment_runs/${run}`),
	];
	const read = await Promise.all(paths.map((path) => get(path, who)));
	expect(read.map(({ status }) => status)).toEqual(paths.map(() => 200));
	return read.map(({ text }) => text);
}

test("runs of experiments are added, given with their evaluations, answered, decided and exported", async () => {
	const experiment = await makeExperiment();
	const queue = await makeQueue({ reviews_required: 2, adjudicators: [] });
	const [first = "", second = ""] = experiment.runs;
	const add = (body: object) => call("POST", `/${queue}/items`, body, lead);
	const targets = [first, second].map((experiment_run_id) => ({ experiment_run_id }));
	expect((await add({ targets })).json.data).toEqual({ added: 2, present: 0 });
	expect((await add({ targets })).json.data).toEqual({ added: 0, present: 2 });
	const before = await readJudgements(experiment);

	const turn = await next(queue, person(0));
	expect(turn.item.target).toEqual({
		...{ kind: "experiment_run", id: first, name: null, global_id: first, trace_id: null, project_id: null },
	});
	expect(turn.annotations).toMatchObject([
		{ target: "experiment_run", name: "verdict", annotator_kind: "LLM", identifier: "", result: { label: "good" } },
	]);
	await review(queue, person(0), "good");
	// RV04: nothing but the queue, to who wrote it, has an answer before the item is done.
	for (const who of [person(1), lead]) expect(await readJudgements(experiment, who)).toEqual(before);
	expect((await get(`${PATH}/${queue}/items`, person(1))).json.data[0].reviews).toEqual([]);
	expect((await get(`${PATH}/${queue}/export?format=jsonl`, person(1))).text).toBe("");

	await review(queue, person(1), "good");
	const done = (await get(`/v1/experiment_runs/${first}`)).json.data;
	expect(done).toMatchObject({
		...{ id: first, experiment_id: experiment.experiment, dataset_id: experiment.dataset, repetition_number: 1 },
		...{ input: { n: 0 }, reference_output: { square: 0 }, output: { answer: 0 }, error: null, repetitions: 1 },
		evaluations: [{ name: "verdict", annotator_kind: "LLM", label: "good" }],
		reviews: [
			{ name: "verdict", label: "good", queue_id: queue, is_decision: false },
			{ name: "verdict", label: "good", queue_id: queue, is_decision: false },
		],
	});
	expect(new Set(done.reviews.map((each: { identifier: string }) => each.identifier)).size).toBe(2);

	await review(queue, person(0), "good");
	const { id: disputed, state } = await review(queue, person(1), "bad");
	expect(state).toBe("disagreement");
	expect((await get(`/v1/experiment_runs/${second}`)).json.data.reviews).toEqual([]);
	const decided = await call("POST", `/${queue}/items/${disputed}/adjudication`, answers("bad"), admin);
	expect(decided.json.data).toMatchObject({ state: "done", decision: { answers: [{ label: "bad" }] } });
	const { reviews } = (await get(`/v1/experiment_runs/${second}`)).json.data;
	expect(reviews.map(({ label, is_decision }: Record<string, unknown>) => [label, is_decision])).toEqual([
		["bad", true],
		["good", false],
		["bad", false],
	]);
	const bare = (await get(`/v1/experiment_runs/${second}?judgements=false`)).json.data;
	expect([bare.evaluations, bare.reviews]).toEqual([null, null]);

	// What counts for scores, comparisons and gates are the evaluations, as before.
	const after = await readJudgements(experiment);
	expect(after.slice(0, 6)).toEqual(before.slice(0, 6));
	const exported = (await get(`${PATH}/${queue}/export?format=jsonl`)).text.trimEnd().split("\n");
	expect(exported.map((line) => JSON.parse(line))).toMatchObject([
		{ target_kind: "experiment_run", target_id: first, project_id: null, source: "review", label: "good" },
		{ target_id: first, source: "review", label: "good" },
		{ target_id: second, source: "review", label: "good" },
		{ target_id: second, source: "review", label: "bad" },
		{ target_id: second, source: "decision", label: "bad" },
	]);
	const progress = (await get(`${PATH}/${queue}/progress`)).json.data;
	expect(progress).toMatchObject({ items: 2, done: 2, decisions: 1, reviewers: [{ reviews: 2 }, { reviews: 2 }] });
	expect((await get(`${PATH}/${queue}/agreement`)).json.data).toMatchObject({ questions: [{ name: "verdict" }] });
	const calibration = (await get(`${PATH}/${queue}/calibration?annotation_name=verdict`)).json.data;
	expect(calibration).toMatchObject({
		...{ gold_items: 2, compared: 2, differing: 1 },
		differences: [{ target: { global_id: second }, gold: { label: "bad" }, judged: { label: "good", identifier: "" } }],
	});
});

test("all runs of an experiment are added at once, and what is wrong is said", async () => {
	const { experiment, dataset, runs } = await makeExperiment();
	const queue = await makeQueue();
	const add = (body: object, to = queue) => call("POST", `/${to}/items`, body, lead);
	expect((await add({ targets: [{ experiment_run_id: runs[0] }] })).json.data.added).toBe(1);
	expect((await add({ experiment_id: experiment, priority: 3 })).json.data).toEqual({ added: RUNS - 1, present: 1 });
	expect((await getQueue(queue)).counts.pending).toBe(RUNS);

	const fault = async (body: object, to?: string) => (await add(body, to)).json;
	const typeOf = async (body: object, to?: string) => (await fault(body, to)).errors[0].type;
	expect(await typeOf({ targets: [{ trace_id: "a".repeat(32) }] })).toBe("wrong_target");
	expect(await typeOf({ targets: [{ experiment_run_id: runs[0], project: "default" }] })).toBe("extra_forbidden");
	expect(await typeOf({ experiment_id: experiment, filter: "" })).toBe("extra_forbidden");
	expect(await typeOf({ experiment_id: experiment, targets: [{ experiment_run_id: runs[0] }] })).toBe(
		"extra_forbidden",
	);
	expect((await fault({ targets: [{ experiment_run_id: dataset }] })).code).toBe("run_not_found");
	expect((await fault({ experiment_id: dataset })).code).toBe("invalid_experiment_id");
	await create("/v1/projects", { name: "chat" });
	expect(await typeOf({ project: "chat", filter: "" })).toBe("wrong_target");
	const rule = await call("PUT", `/${queue}/rule`, { project: "chat", filter: "" }, lead);
	expect(rule.json.errors[0].type).toBe("wrong_target");
	const ofSpans = await makeQueue({ target: "span" });
	expect(await typeOf({ experiment_id: experiment }, ofSpans)).toBe("wrong_target");
	expect(await typeOf({ targets: [{ experiment_run_id: runs[0] }] }, ofSpans)).toBe("wrong_target");
	expect((await get("/v1/experiment_runs/nothing")).json.code).toBe("run_not_found");
	expect((await get(`/v1/experiment_runs/${runs[0]}?all=true`)).json.errors[0].type).toBe("extra_forbidden");
});

test("a queue that hides models gives a run without what models said of it", async () => {
	const { runs } = await makeExperiment();
	const [run] = runs;
	const result = { label: "bad" };
	await create("/v1/experiment_evaluations", {
		...{ experiment_run_id: run, name: "by hand", annotator_kind: "HUMAN", result, ...TIMES },
	});
	const queue = await makeQueue({ reviews_required: 2, hide_model_annotations: true });
	await call("POST", `/${queue}/items`, { targets: [{ experiment_run_id: run }] }, lead);
	const { annotations } = await next(queue, person(0));
	expect(annotations.map(({ name }: { name: string }) => name)).toEqual(["by hand"]);
});

test("RV08 runs of a deleted experiment leave their items removed, with the answers in the export", async () => {
	const experiment = await makeExperiment();
	const queue = await makeQueue();
	await call("POST", `/${queue}/items`, { experiment_id: experiment.experiment }, lead);
	await review(queue, person(0), "good");
	const { item } = await next(queue, person(0));
	await server.call("DELETE", `/v1/experiments/${experiment.experiment}`, undefined, admin.headers);
	const late = await call("POST", `/${queue}/items/${item.id}/review`, answers("good"), person(0));
	expect(late.json.code).toBe("review_removed");
	expect(await next(queue, person(1))).toBeUndefined();
	const { data: items } = (await get(`${PATH}/${queue}/items`)).json;
	expect(items.map(({ state }: { state: string }) => state)).toEqual(Array.from({ length: RUNS }, () => "removed"));
	const exported = (await get(`${PATH}/${queue}/export?format=jsonl`)).text.trimEnd().split("\n");
	expect(exported.map((line) => JSON.parse(line))).toMatchObject([{ item_state: "removed", label: "good" }]);
});

test("RV09 a run is seen where its dataset is, and its item follows that to another project", async () => {
	await create("/v1/projects", { name: "closed" });
	await server.call("PATCH", "/v1/projects/closed/access", { access: "restricted" }, admin.headers);
	const experiment = await makeExperiment();
	const [run] = experiment.runs;
	const queue = await makeQueue();
	const target = { targets: [{ experiment_run_id: run }] };
	expect((await call("POST", `/${queue}/items`, target, lead)).json.data.added).toBe(1);
	const { item } = await next(queue, person(0));
	const move = (project: string | null) =>
		server.call("PATCH", `/v1/datasets/${experiment.dataset}`, { project, allow_wider_access: true }, admin.headers);
	const moved = await move("closed");
	expect([moved.status, moved.text]).toEqual([200, expect.anything()]);
	for (const who of [lead, person(0)]) {
		expect((await getQueue(queue, who)).counts.pending + (await getQueue(queue, who)).counts.in_review).toBe(0);
		expect((await get(`${PATH}/${queue}/items`, who)).json.data).toEqual([]);
		expect((await get(`${PATH}/${queue}/items/${item.id}`, who)).status).toBe(404);
		expect((await get(`/v1/experiment_runs/${run}`, who)).json.code).toBe("run_not_found");
	}
	expect((await call("POST", `/${queue}/items/${item.id}/review`, answers("good"), person(0))).status).toBe(404);
	expect((await call("POST", `/${await makeQueue()}/items`, target, lead)).json.code).toBe("run_not_found");
	expect(await next(queue, person(1))).toBeUndefined();
	const project_id = (await get("/v1/projects/closed", admin)).json.data.id;
	expect((await get(`${PATH}/${queue}/items`, admin)).json.data).toMatchObject([
		{ id: item.id, target: { project_id } },
	]);
	expect((await move(null)).status).toBe(200);
	expect((await next(queue, person(0))).item.id).toBe(item.id);
});

test("what became of answers about runs stays when the queue goes, unless it is to go, too", async () => {
	const { runs } = await makeExperiment();
	const [run] = runs;
	for (const [query, left] of [
		["", 1],
		["?delete_annotations=true", 1],
	] as const) {
		const queue = await makeQueue();
		await call("POST", `/${queue}/items`, { targets: [{ experiment_run_id: run }] }, lead);
		await review(queue, person(0), "good");
		expect((await call("DELETE", `/${queue}${query}`, undefined, lead)).status).toBe(204);
		expect((await get(`/v1/experiment_runs/${run}`)).json.data.reviews).toHaveLength(left);
	}
});

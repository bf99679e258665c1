import { afterAll, beforeAll, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { getQueue } from "../queues.ts";
import { carryOutGoldRuns } from "./carry-out.ts";
import { listUnfinished } from "./gold-runs.ts";
import { advanceWork } from "./write-gold.ts";

const PATH = "/v1/review_queues";
const PROBLEM = { accept: "application/problem+json" };

let server: TestApp;
let verdict: string;
let correction: string;
let quality: string;

beforeAll(async () => {
	server = await openTestApp();
	const config = async (body: object) => (await post("/v1/annotation_configs", body)).data.id;
	const values = [{ label: "good" }, { label: "bad" }];
	verdict = await config({ name: "verdict", type: "CATEGORICAL", optimization_direction: "NONE", values });
	correction = await config({ name: "correction", type: "FREEFORM" });
	quality = await config({ name: "quality", type: "CONTINUOUS", optimization_direction: "NONE" });
	await server.send(
		[1, 2, 3].flatMap((number) => [
			{
				...{ traceId: traceId(number), spanId: spanId(number), name: `chat ${number}` },
				attributes: {
					"openinference.span.kind": text("CHAIN"),
					"input.value": text(`question ${number}`),
					"output.value": text(`answer ${number}`),
					"session.id": text("talk"),
				},
				startTimeUnixNano: `${T0 + number}000000000`,
				endTimeUnixNano: `${T0 + number}100000000`,
			},
			{
				...{ traceId: traceId(number), spanId: `f${spanId(number).slice(1)}`, parentSpanId: spanId(number) },
				...{ name: "step", startTimeUnixNano: `${T0 + number}000000000` },
			},
		]),
	);
});
afterAll(() => server[Symbol.asyncDispose]());

const traceId = (number: number) => `${number}`.padStart(32, "a");
const spanId = (number: number) => `${number}`.padStart(16, "b");

async function post(path: string, body?: object) {
	const answer = await server.call("POST", path, body, PROBLEM);
	expect([answer.status < 300, answer.text]).toEqual([true, expect.anything()]);
	return answer.json;
}

let made = 0;
/** @param ids of traces, in the order in which they are given to reviewers */
async function queueOf(target: "span" | "trace" | "session", ids: readonly string[]): Promise<string> {
	made += 1;
	const questions = [
		{ annotation_config_id: verdict, note: true },
		{ annotation_config_id: correction, required: false },
		{ annotation_config_id: quality, required: false },
	];
	const { data } = await post(PATH, { name: `gold ${made}`, target, questions });
	const targets = ids.map((id) => ({ [`${target}_id`]: id, project: "default" }));
	await post(`${PATH}/${data.id}/items`, { targets });
	return data.id;
}

interface Answered {
	readonly label: string;
	readonly note?: string;
	readonly corrected?: string;
	readonly score?: number;
}

function answersOf({ label, note, corrected, score }: Answered) {
	return {
		answers: [
			{ annotation_config_id: verdict, label, ...(note === undefined ? {} : { explanation: note }) },
			...(corrected === undefined ? [] : [{ annotation_config_id: correction, explanation: corrected }]),
			...(score === undefined ? [] : [{ annotation_config_id: quality, score }]),
		],
	};
}

/** Reviews the next item. @returns its id */
async function review(queue: string, answered: Answered): Promise<string> {
	const { item } = (await post(`${PATH}/${queue}/next`)).data;
	await post(`${PATH}/${queue}/items/${item.id}/review`, answersOf(answered));
	return item.id;
}

const decide = (queue: string, item: string, answered: Answered) =>
	post(`${PATH}/${queue}/items/${item}/adjudication`, answersOf(answered));

async function start(queue: string, body: object): Promise<string> {
	return (await post(`${PATH}/${queue}/gold_runs`, body)).data.id;
}

async function ended(queue: string, run: string) {
	await using _work = carryOutGoldRuns(server.context);
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let data: any;
	const state = async () => {
		data = (await server.get(`${PATH}/${queue}/gold_runs/${run}`)).json.data;
		return data.state;
	};
	await expect.poll(state).not.toMatch(/waiting|running/);
	return data;
}

const toDataset = async (queue: string, body: object) => await ended(queue, await start(queue, body));
const examplesOf = async (dataset: string) => (await server.get(`/v1/datasets/${dataset}/examples`)).json.data.examples;
const versionsOf = async (dataset: string) => (await server.get(`/v1/datasets/${dataset}/versions`)).json.data;
const named = async (name: string) => (await server.get(`/v1/datasets?name=${encodeURIComponent(name)}`)).json.data;

test("RV23 corrected outputs become examples with links to the spans, one version per run, and none twice", async () => {
	const queue = await queueOf("trace", [1, 2, 3].map(traceId));
	const [first] = [
		await review(queue, { label: "bad", note: "rude", corrected: "a better answer" }),
		await review(queue, { label: "bad", corrected: '{"messages": [{"role": "assistant", "content": "hello"}]}' }),
		await review(queue, { label: "good" }),
	];
	const body = { dataset_name: "corrected", annotation_config_id: correction };
	const run = await toDataset(queue, body);
	expect(run).toMatchObject({
		...{ state: "done", total_items: 3, done_items: 3, created_examples: 2, updated_examples: 0 },
		...{ unchanged_examples: 0, left_out_items: 1, gold: "all", annotation_config_id: correction, error: null },
	});
	expect(run.left_out).toEqual([{ item_id: expect.anything(), reason: expect.stringContaining("corrected output") }]);
	const examples = await examplesOf(run.dataset_id);
	expect(examples).toMatchObject([
		{
			...{ input: { input: "question 1" }, output: { output: "a better answer" }, source: { span_id: spanId(1) } },
			metadata: {
				span_kind: "CHAIN",
				review: {
					...{ queue_id: queue, item_id: first, is_decision: false },
					...{ answers: { verdict: "bad" }, notes: { verdict: "rude" } },
				},
			},
		},
		{ output: { messages: [{ role: "assistant", content: "hello" }] }, source: { span_id: spanId(2) } },
	]);
	expect(await versionsOf(run.dataset_id)).toMatchObject([
		{ version_id: run.version_id, created_count: 2, example_count: 2 },
	]);

	const again = await toDataset(queue, { ...body, dataset_name: undefined, dataset_id: run.dataset_id });
	expect(again).toMatchObject({ state: "done", created_examples: 0, updated_examples: 0, unchanged_examples: 2 });
	expect(again.version_id).not.toBe(run.version_id);
	expect((await examplesOf(run.dataset_id)).map(({ node_id }: { node_id: string }) => node_id)).toEqual(
		examples.map(({ node_id }: { node_id: string }) => node_id),
	);

	await decide(queue, first, { label: "bad", corrected: "the best answer" });
	expect(await toDataset(queue, body)).toMatchObject({
		created_examples: 0,
		updated_examples: 1,
		unchanged_examples: 1,
	});
	const [changed, ...others] = await examplesOf(run.dataset_id);
	expect(changed).toMatchObject({ node_id: examples[0].node_id, output: { output: "the best answer" } });
	expect([others.length, await versionsOf(run.dataset_id)]).toMatchObject([
		1,
		[{ updated_count: 1 }, { created_count: 0, updated_count: 0, example_count: 2 }, { created_count: 2 }],
	]);
	const decided = await toDataset(queue, { dataset_name: "decided", gold: "decisions" });
	expect(decided).toMatchObject({ total_items: 1, created_examples: 1 });
	expect((await server.get(`${PATH}/${queue}/gold_runs`)).json.data).toHaveLength(4);
});

test("answers by the names of their questions are the output where no question is named", async () => {
	const spans = await queueOf("span", [spanId(1)]);
	await review(spans, { label: "bad", note: "why", corrected: "so", score: 0.5 });
	const ofSpans = await toDataset(spans, { dataset_name: "by name" });
	expect(await examplesOf(ofSpans.dataset_id)).toMatchObject([
		{ output: { verdict: "bad", correction: "so", quality: 0.5 }, metadata: { review: { notes: { verdict: "why" } } } },
	]);
	const notes = await toDataset(spans, { dataset_name: "notes", annotation_config_id: verdict });
	expect(await examplesOf(notes.dataset_id)).toMatchObject([
		{ output: { output: "why" }, metadata: { review: { answers: { correction: "so", quality: 0.5 } } } },
	]);
	const sessions = await queueOf("session", ["talk"]);
	await review(sessions, { label: "good" });
	const ofSessions = await toDataset(sessions, { dataset_name: "last of sessions" });
	expect(await examplesOf(ofSessions.dataset_id)).toMatchObject([
		{ input: { input: "question 3" }, output: { verdict: "good" }, source: { span_id: spanId(3) } },
	]);
});

test("a run that is interrupted goes on, and nothing is seen of one before it is done, or after it is cancelled", async () => {
	const { context } = server;
	const queue = await queueOf("trace", [1, 2].map(traceId));
	await review(queue, { label: "good" });
	await review(queue, { label: "bad" });
	const half = async () => {
		const [run] = await listUnfinished(context.db.read);
		if (run === undefined) throw new Error("there is no run");
		const actor = await actIn(context)({ kind: "anonymous" }, "write", "editor");
		await advanceWork(context, { run, queue: await getQueue(context.db.read, queue), actor });
	};
	const interrupted = await start(queue, { dataset_name: "interrupted" });
	await half();
	expect(await named("interrupted")).toEqual([]);
	const { data } = (await server.get(`${PATH}/${queue}/gold_runs/${interrupted}`)).json;
	expect(data).toMatchObject({ state: "running", dataset_id: null });
	const run = await ended(queue, interrupted);
	expect(run).toMatchObject({ state: "done", created_examples: 2 });
	expect(await named("interrupted")).toMatchObject([{ example_count: 2 }]);

	const [item] = (await server.get(`${PATH}/${queue}/items`)).json.data;
	await decide(queue, item.id, { label: "bad" });
	const before = await examplesOf(run.dataset_id);
	for (const body of [{ dataset_id: run.dataset_id }, { dataset_name: "never made" }]) {
		const cancelled = await start(queue, body);
		await half();
		expect((await server.call("DELETE", `${PATH}/${queue}/gold_runs/${cancelled}`)).status).toBe(204);
		const { data } = (await server.get(`${PATH}/${queue}/gold_runs/${cancelled}`)).json;
		expect(data).toMatchObject({ state: "cancelled", dataset_id: body.dataset_id ?? null });
		expect(await ended(queue, cancelled)).toMatchObject({ state: "cancelled", version_id: null });
		expect(await context.db.read.selectFrom("dataset_uploads").selectAll().execute()).toEqual([]);
	}
	expect([await examplesOf(run.dataset_id), await named("never made")]).toEqual([before, []]);
	expect(await toDataset(queue, { dataset_id: run.dataset_id })).toMatchObject({ updated_examples: 1 });
});

test("a run fails when its queue or dataset is deleted, or there is no gold", async () => {
	const empty = await queueOf("trace", [traceId(1)]);
	const run = await toDataset(empty, { dataset_name: "nothing" });
	expect(run).toMatchObject({ state: "failed", error: expect.stringContaining("gold"), dataset_id: null });
	expect(await named("nothing")).toEqual([]);
	const queue = await queueOf("trace", [traceId(1)]);
	await review(queue, { label: "good" });
	const { dataset_id } = await toDataset(queue, { dataset_name: "deleted" });
	const ofDataset = await start(queue, { dataset_id });
	expect((await server.call("DELETE", `/v1/datasets/${dataset_id}`)).status).toBe(204);
	expect(await ended(queue, ofDataset)).toMatchObject({ state: "failed", error: expect.stringContaining("deleted") });
	await start(queue, { dataset_name: "of a queue that goes" });
	await server.call("DELETE", `${PATH}/${queue}`);
	await using _work = carryOutGoldRuns(server.context);
	await expect.poll(() => server.context.db.read.selectFrom("dataset_uploads").selectAll().execute()).toEqual([]);
	expect(await named("of a queue that goes")).toEqual([]);
});

test("what cannot be made a dataset is said", async () => {
	const queue = await queueOf("span", [spanId(1)]);
	const types = async (body: object) => {
		const { json } = await server.call("POST", `${PATH}/${queue}/gold_runs`, body, PROBLEM);
		return json.errors.map(({ type }: { type: string }) => type);
	};
	expect(await types({})).toEqual(["dataset_needed"]);
	expect(await types({ dataset_id: "x", dataset_name: "y" })).toEqual(["dataset_needed"]);
	expect(await types({ dataset_id: "x", project: "default" })).toEqual(["extra_forbidden"]);
	expect(await types({ dataset_name: "y", splits: [] })).toEqual(["extra_forbidden"]);
	expect(await types({ dataset_name: "y", annotation_config_id: quality })).toEqual(["unknown_question"]);
	expect((await server.get(`${PATH}/${queue}/gold_runs/none`, PROBLEM)).json.code).toBe("gold_run_not_found");
});

test("RV23 the example of an item is filled from its span, and is added with a corrected output", async () => {
	const queue = await queueOf("trace", [traceId(2)]);
	const items = (await server.get(`${PATH}/${queue}/items`)).json.data;
	expect(items).toMatchObject([{ target: { id: traceId(2), name: "chat 2" } }]);
	const spans = await queueOf("span", [spanId(1)]);
	expect((await server.get(`${PATH}/${spans}/items`)).json.data).toMatchObject([{ target: { name: "chat 1" } }]);
	const { data } = (await server.get(`${PATH}/${queue}/items/${items[0].id}/example`)).json;
	expect(data).toMatchObject({
		...{ trace_id: traceId(2), span_id: spanId(2) },
		...{ input: { input: "question 2" }, output: { output: "answer 2" }, metadata: { span_kind: "CHAIN" } },
	});
	const { dataset_id } = (await post("/v1/datasets/upload?sync=true", { name: "by hand", inputs: [{ a: 1 }] })).data;
	const path = `/v1/datasets/${dataset_id}/examples/from_spans`;
	await post(path, { span_ids: [data.span_node_id], output: { output: "corrected" }, metadata: { by: "hand" } });
	expect((await examplesOf(dataset_id)).slice(1)).toMatchObject([
		{
			...{ input: { input: "question 2" }, output: { output: "corrected" }, metadata: { by: "hand" } },
			source: { span_id: spanId(2) },
		},
	]);
	const several = await server.call("POST", path, { span_ids: [spanId(1), spanId(2)], output: {} }, PROBLEM);
	expect(several.json.errors).toMatchObject([{ type: "several_spans", loc: ["body", "output"] }]);
});

test("runs take only what who starts them sees, are theirs alone, and widen access only when it is said", async () => {
	await using closed = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const [admin, viewer] = [await closed.signedIn("ADMIN"), await closed.signedIn("VIEWER")];
	const [member, other] = [await closed.signedIn("MEMBER"), await closed.signedIn("MEMBER")];
	const ask = async (path: string, body: unknown, who = admin) =>
		await closed.call("POST", path, body, { ...who.headers, ...PROBLEM });
	const config = (await ask("/v1/annotation_configs", { name: "remark", type: "FREEFORM" })).json.data.id;
	const queue = (await ask(PATH, { name: "gold", target: "span", questions: [{ annotation_config_id: config }] })).json
		.data.id;
	for (const [number, project] of [
		[1, "open"],
		[2, "closed"],
	] as const) {
		const span = { traceId: traceId(number), spanId: spanId(number), name: project };
		const times = { startTimeUnixNano: `${T0}000000000`, endTimeUnixNano: `${T0 + 1}000000000` };
		const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: {}, spans: [{ ...span, ...times }] }] }];
		await closed.call("POST", "/v1/traces", { resourceSpans }, { ...admin.headers, "x-project-name": project });
		await ask(`${PATH}/${queue}/items`, { targets: [{ span_id: spanId(number), project }] });
	}
	for (const { id } of (await closed.get(`${PATH}/${queue}/items`, admin.headers)).json.data)
		await ask(`${PATH}/${queue}/items/${id}/adjudication`, {
			answers: [{ annotation_config_id: config, explanation: "yes" }],
		});
	const { id: project } = (await closed.get("/v1/projects/closed", admin.headers)).json.data;
	const access = { access: "restricted" };
	const restricted = await closed.call("PATCH", `/v1/projects/${project}/access`, access, admin.headers);
	expect(restricted.status).toBe(200);
	const path = `${PATH}/${queue}/gold_runs`;
	expect((await ask(path, { dataset_name: "all" })).json.code).toBe("wider_access");
	expect((await ask(path, { dataset_name: "seen" }, viewer)).status).toBe(403);
	const own = await ask(path, { dataset_name: "seen" }, member);
	expect([own.status, own.json.data?.total_items]).toEqual([202, 1]);
	const run = `${path}/${own.json.data.id}`;
	await using _work = carryOutGoldRuns(closed.context);
	const state = async () => (await closed.get(run, member.headers)).json.data;
	await expect.poll(state).toMatchObject({ state: "done", created_examples: 1, left_out_items: 0 });
	expect((await closed.get(run, other.headers)).status).toBe(404);
	expect((await closed.call("DELETE", run, undefined, other.headers)).status).toBe(404);
	expect((await closed.get(path, other.headers)).json.data).toEqual([]);
	expect((await closed.get(run, admin.headers)).status).toBe(200);
	const wide = await ask(path, { dataset_name: "all", allow_wider_access: true });
	expect([wide.status, wide.json.data?.total_items]).toEqual([202, 2]);
	const events = (await closed.get("/v1/audit_events?action=review_queue.gold", admin.headers)).json.data;
	expect(events).toHaveLength(2);
});

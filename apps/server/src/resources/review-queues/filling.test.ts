import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { applyStep } from "../bulk-runs/actions.ts";
import { advance, getBulkRun, StoredSelection } from "../bulk-runs/bulk-runs.ts";
import { carryOutBulkRuns } from "../bulk-runs/carry-out.ts";
import { listSelected } from "../selections/selection.ts";
import { MOST_ITEMS } from "./schemas.ts";

const PATH = "/v1/review_queues";
const PROBLEM = { accept: "application/problem+json" };
const SPANS = 40;

let server: TestApp;
let config: string;
let projectId: number;

beforeAll(async () => {
	server = await openTestApp();
	const made = await server.call("POST", "/v1/annotation_configs", { name: "remark", type: "FREEFORM" });
	config = made.json.data.id;
	await server.send(spans(SPANS));
	projectId = decodeGlobalId((await server.get("/v1/projects/default")).json.data.id, "Project") ?? 0;
});
afterAll(() => server[Symbol.asyncDispose]());

/** A span in each trace; every second one is odd. */
function spans(count: number, of = "0") {
	return Array.from({ length: count }, (_, index) => ({
		...{ traceId: `${index + 1}`.padStart(32, of), spanId: `${index + 1}`.padStart(16, of) },
		...{ name: index % 2 === 0 ? "even" : "odd", attributes: { "session.id": text(`${of}${index}`) } },
	}));
}

let made = 0;
async function queueOf(more: object = {}): Promise<string> {
	made += 1;
	const body = { name: `filled ${made}`, target: "span", questions: [{ annotation_config_id: config }], ...more };
	const { status, text: answer, json } = await server.call("POST", PATH, body);
	expect([status, answer]).toEqual([201, expect.anything()]);
	return json.data.id;
}

const add = (queue: string, body: object) => server.call("POST", `${PATH}/${queue}/items`, body, PROBLEM);

async function start(queue: string, body: object = {}): Promise<string> {
	const { status, text: answer, json } = await add(queue, { filter: "", project: "default", ...body });
	expect([status, answer]).toEqual([202, expect.anything()]);
	return json.data.id;
}

async function ended(id: string) {
	await using _work = carryOutBulkRuns(server.context);
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let data: any;
	const state = async () => {
		data = (await server.get(`/v1/bulk_runs/${id}`)).json.data;
		return data.state;
	};
	await expect.poll(state).not.toMatch(/waiting|running/);
	return data;
}

async function itemsOf(queue: string) {
	const { json } = await server.get(`${PATH}/${queue}/items?limit=1000`);
	return json.data as {
		id: string;
		state: string;
		priority: number;
		reviews: object[];
		target: { id: string; project_id: string };
	}[];
}

async function take(queue: string) {
	const { status, json } = await server.call("POST", `${PATH}/${queue}/next`);
	return status === 204 ? undefined : json.data;
}

function review(queue: string, item: string) {
	const body = { answers: [{ annotation_config_id: config, explanation: "seen" }] };
	return server.call("POST", `${PATH}/${queue}/items/${item}/review`, body, PROBLEM);
}

test("a filter fills a queue in the background, and filling it again changes nothing", async () => {
	const queue = await queueOf();
	const filter = "name == 'odd'";
	const run = await ended(await start(queue, { filter, priority: 7 }));
	expect(run).toMatchObject({
		...{ action: "add_to_review_queue", review_queue_id: queue, state: "done", by_filter: true },
		...{ total_items: SPANS / 2, done_items: SPANS / 2, failed_items: 0 },
	});
	const items = await itemsOf(queue);
	expect(items.map(({ target }) => Number(target.id) % 2)).toEqual(Array.from({ length: SPANS / 2 }, () => 0));
	expect(new Set(items.map(({ priority }) => priority))).toEqual(new Set([7]));
	expect(await ended(await start(queue, { filter: { name: ["odd"] } }))).toMatchObject({ done_items: SPANS / 2 });
	expect(await itemsOf(queue)).toEqual(items);
	const limited = await queueOf({ target: "trace" });
	expect(await ended(await start(limited, { limit: 7 }))).toMatchObject({ total_items: 7, done_items: 7 });
	expect(await itemsOf(limited)).toHaveLength(7);
	const late = { time_range: { start_time: `${T0 + 60}` }, filter: { end_time: `${T0 + 120}` } };
	expect(await ended(await start(limited, late))).toMatchObject({ total_items: 0 });
	const sessions = await queueOf({ target: "session" });
	await ended(await start(sessions));
	expect(await itemsOf(sessions)).toHaveLength(SPANS);
});

test("what cannot fill a queue is said", async () => {
	const queue = await queueOf();
	const typesOf = async (body: object) =>
		(await add(queue, body)).json.errors.map(({ type }: { type: string }) => type);
	expect(await typesOf({})).toEqual(["missing"]);
	expect(await typesOf({ filter: "" })).toEqual(["missing"]);
	expect(await typesOf({ targets: [{ span_id: "1" }], project: "default" })).toEqual(["extra_forbidden"]);
	expect(await typesOf({ filter: "", project: "default", limt: 1 })).toEqual(["extra_forbidden"]);
	expect((await add(queue, { filter: "latency_ms >", project: "default" })).status).toBe(400);
	expect((await add(queue, { filter: "", project: "none" })).json.code).toBe("project_not_found");
	const unknown = await add(queue, { filter: { min_latency_ms: 1, session_identifier: ["s"] }, project: "default" });
	expect(unknown.json.code).toBe("unknown_filter");
	const run = await start(queue);
	await server.call("PATCH", `${PATH}/${queue}`, { archived: true });
	expect(await ended(run)).toMatchObject({ state: "failed", error: "The review queue is archived." });
	expect((await add(queue, { filter: "", project: "default" })).json.code).toBe("review_queue_archived");
});

test("a run that fills a queue up adds what fits, says so, and leaves the rest to another queue", async () => {
	const queue = await queueOf();
	const room = SPANS - 10;
	const id = decodeGlobalId(queue, "ReviewQueue");
	await server.context.db.write((transaction) =>
		sql`insert into review_items
				(queue_id, project_id, target_row_id, target_id, priority, random_rank, created_at, updated_at)
			with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MOST_ITEMS - room})
			select ${id}, ${projectId}, -n, 'other', 0, 0, 0, 0 from numbers`.execute(transaction),
	);
	expect(await ended(await start(queue))).toMatchObject({
		...{ state: "failed", total_items: SPANS, done_items: room },
		error: "A review queue has at most 100,000 items. What fitted was added; make another queue for the rest.",
	});
	const count = async () => {
		const { pending } = (await server.get(`${PATH}/${queue}`)).json.data.counts;
		return pending;
	};
	expect(await count()).toBe(MOST_ITEMS);
	// What is in the queue already needs no room.
	expect(await ended(await start(queue, { limit: room }))).toMatchObject({ state: "done", done_items: room });
	expect((await add(queue, { targets: [{ span_id: `${SPANS}`.padStart(16, "0") }] })).json).toMatchObject({
		...{ status: 409, code: "too_many_review_items" },
	});
	expect(await count()).toBe(MOST_ITEMS);
});

test("RV10 a run that is cancelled at half leaves what it has added, one that is interrupted goes on", async () => {
	const { context } = server;
	const half = async (run: string) => {
		const row = await getBulkRun(
			context.db.read,
			{ rights: (await anybody()).rights, enter: () => undefined, noteHidden: () => undefined },
			decodeGlobalId(run, "BulkRun") ?? 0,
		);
		const counted = await context.db.write((transaction) =>
			advance(transaction, row, { total_items: SPANS }, { now: 1 }),
		);
		if (counted === undefined) throw new Error("the run cannot advance");
		const selection = { projectId, kind: row.kind, ...StoredSelection.parse(JSON.parse(row.selection)) };
		const step = await listSelected(context.traces, selection, { limit: SPANS / 2, caller: { name: "test" } });
		const onBatch = async () => true;
		await applyStep(context, { run: counted, actor: await anybody(), step, isResumed: false, onBatch });
	};
	const anybody = () => actIn(context)({ kind: "anonymous" }, "write", "editor");
	const queue = await queueOf();
	const cancelled = await start(queue);
	await half(cancelled);
	expect((await server.call("DELETE", `/v1/bulk_runs/${cancelled}`)).status).toBe(204);
	expect(await ended(cancelled)).toMatchObject({ state: "cancelled", done_items: SPANS / 2 });
	expect(await itemsOf(queue)).toHaveLength(SPANS / 2);
	expect(await ended(await start(queue))).toMatchObject({ state: "done", done_items: SPANS });
	expect(new Set((await itemsOf(queue)).map(({ target }) => target.id)).size).toBe(SPANS);

	const other = await queueOf();
	const interrupted = await start(other);
	await half(interrupted);
	expect(await ended(interrupted)).toMatchObject({ state: "done", total_items: SPANS, done_items: SPANS });
	expect(await itemsOf(other)).toHaveLength(SPANS);
});

test("RV08 what retention deletes meanwhile is removed, and it keeps what an open queue has where it keeps what is annotated", async () => {
	const traces = spans(3, "b");
	await server.send(traces, "expiring");
	const project = (await server.get("/v1/projects/expiring")).json.data.id;
	const queue = await queueOf({ target: "trace" });
	await ended(await start(queue, { project: "expiring", limit: 2 }));
	const { item } = await take(queue);
	const rule = { projectId: decodeGlobalId(project, "Project") ?? 0, beforeMicros: (T0 + 60) * 1_000_000 };
	const expire = async (keepAnnotated: boolean) => {
		let deleted = 0;
		await server.context.traces.deleteExpired({ ...rule, keepAnnotated }, async (batch) => {
			deleted += batch.deleted;
			return true;
		});
		return deleted;
	};
	expect(await expire(true)).toBe(1);
	expect((await itemsOf(queue)).map(({ state }) => state).toSorted()).toEqual(["in_review", "pending"]);
	expect(await expire(false)).toBe(2);
	expect((await review(queue, item.id)).json.code).toBe("review_removed");
	expect(await take(queue)).toBeUndefined();
	expect((await itemsOf(queue)).map(({ state }) => state)).toEqual(["removed", "removed"]);
});

test("RV09 items follow traces to another project, also into a trace of the same id", async () => {
	const moving = spans(2, "c");
	await server.send(moving, "here");
	await server.send(moving.slice(1), "there");
	const there = (await server.get("/v1/projects/there")).json.data.id;
	const queues = [await queueOf(), await queueOf({ target: "trace" }), await queueOf({ target: "session" })] as const;
	for (const queue of queues) await ended(await start(queue, { project: "here" }));
	const rows = (await server.get("/v1/projects/here/traces")).json.data.map(
		({ id }: { id: string }) => decodeGlobalId(id, "Trace") ?? 0,
	);
	await server.context.traces.transferTraces(rows, decodeGlobalId(there, "Project") ?? 0);
	for (const queue of queues) {
		const items = await itemsOf(queue);
		expect(items.map(({ state, target }) => [state, target.project_id])).toEqual([
			["pending", there],
			["pending", there],
		]);
		for (const { id } of items) {
			expect((await take(queue)).item.id).toBe(id);
			expect((await review(queue, id)).status).toBe(200);
		}
	}
});

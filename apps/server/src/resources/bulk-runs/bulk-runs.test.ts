import { afterAll, beforeEach, expect, test } from "vitest";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { ALL_RIGHTS } from "#http/rights.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { advance, getBulkRun, insertBulkRun } from "./bulk-runs.ts";
import { carryOutBulkRuns } from "./carry-out.ts";

const EVERYBODY = { rights: ALL_RIGHTS, enter: () => undefined, noteHidden: () => undefined };
const server = await openTestApp();
const work = carryOutBulkRuns(server.context);
afterAll(async () => {
	await work[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});
beforeEach(() => server.clear());

const RUNS = "/v1/projects/default/bulk_runs";

/** Traces 1 to `count` of two spans each, the second below the first. */
function traces(count: number, attributes: object = {}) {
	return Array.from({ length: count }, (_, index) => {
		const traceId = String(index + 1).padStart(32, "0");
		const spanId = String(index + 1).padStart(16, "0");
		const child = { traceId, spanId: `f${spanId.slice(1)}`, parentSpanId: spanId, name: "child" };
		return [{ traceId, spanId, name: index % 2 === 0 ? "even" : "odd", attributes }, child];
	}).flat();
}

async function ids(kind: "traces" | "spans" | "sessions", project = "default"): Promise<string[]> {
	const { json } = await server.get(`/v1/projects/${project}/${kind}?limit=1000`);
	return json.data.map(({ id }: { id: string }) => id);
}

/** Starts a run and waits until it has ended. */
async function run(body: object, of: TestApp = server, headers: Record<string, string> = {}) {
	const started = await of.call("POST", RUNS, body, headers);
	expect(started.status, started.text).toBe(202);
	return await ended(started.json.data.id, of, headers);
}

async function ended(id: string, of: TestApp = server, headers: Record<string, string> = {}) {
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let data: any;
	await expect
		.poll(async () => {
			data = (await of.get(`/v1/bulk_runs/${id}`, headers)).json.data;
			return data.state;
		})
		.not.toMatch(/waiting|running/);
	return data;
}

test("deletes the traces, spans and sessions with these ids", async () => {
	await server.send(traces(4, { "session.id": text("s") }));
	const [first, second] = await ids("traces");
	const byIds = await run({ action: "delete", kind: "trace", selection: { ids: [first, second] } });
	expect(byIds).toMatchObject({ state: "done", total_items: 2, done_items: 2, failed_items: 0, by_filter: false });
	expect(await ids("traces")).toHaveLength(2);
	const spans = (await server.get("/v1/projects/default/spans?name=child")).json.data;
	await run({ action: "delete", kind: "span", selection: { ids: spans.map(({ id }: { id: string }) => id) } });
	expect(await ids("spans")).toHaveLength(2);
	await run({ action: "delete", kind: "session", selection: { ids: ["s"] } });
	expect([await ids("sessions"), await ids("spans")]).toEqual([[], []]);
});

test("deletes all that match a filter, and tells what that is before", async () => {
	await server.send(traces(30));
	const query = `filter=${encodeURIComponent("name == 'odd'")}`;
	const before = await server.get(`/v1/projects/default/selection?kind=trace&${query}`);
	expect(before.json.data).toEqual({
		kind: "trace",
		item_count: 15,
		trace_count: 15,
		span_count: 30,
		annotation_count: 0,
		log_record_count: 0,
		is_complete: true,
	});
	const selection = { filter: { filter: "name == 'odd'" } };
	const done = await run({ action: "delete", kind: "trace", selection });
	expect(done).toMatchObject({ state: "done", total_items: 15, done_items: 15, by_filter: true });
	const { json } = await server.get("/v1/projects/default/traces?limit=1000");
	expect(new Set(json.data.map(({ root_name }: { root_name: string }) => root_name))).toEqual(new Set(["even"]));
});

test("leaves alone what arrives, starts or stops matching after the start", async () => {
	await server.send(traces(4));
	const project = (await server.get("/v1/projects/default")).json.data.id;
	const projectId = decodeGlobalId(project, "Project") ?? 0;
	const lastRow = (await server.context.traces.readArrivals()).trace;
	await server.send(traces(6).slice(8));
	const change = { action: "delete", kind: "trace", user_id: null } as const;
	const filters = { names: undefined, name: ["odd"], end_time: (T0 + 1) * 1_000_000 };
	const row = await server.context.db.write((transaction) =>
		insertBulkRun(transaction, {
			...{ ...change, project_id: projectId, now: 1, parameters: { source: "API" } },
			selection: { filters, lastRow },
		}),
	);
	server.context.events.emit("bulk_run_asked");
	expect(await ended(encodeGlobalId("BulkRun", row.id))).toMatchObject({ state: "done", done_items: 2 });
	const { json } = await server.get("/v1/projects/default/traces?sort=start_time&order=asc");
	expect(json.data.map(({ trace_id }: { trace_id: string }) => Number(trace_id)).sort()).toEqual([1, 3, 5, 6]);
});

test("moves traces to another project", async () => {
	await server.send(traces(3));
	await server.send([{ traceId: "9".repeat(32), spanId: "9".repeat(16) }], "other");
	const selection = { filter: {} };
	const body = { action: "move", kind: "trace", selection };
	const done = await run({ ...body, destination_project_identifier: "other" });
	expect(done).toMatchObject({ state: "done", done_items: 3 });
	expect([await ids("traces"), (await ids("traces", "other")).length]).toEqual([[], 4]);
	const same = await server.call("POST", RUNS, { ...body, destination_project_identifier: "default" });
	expect([same.status, same.text]).toEqual([422, expect.stringContaining("in this project already")]);
	const none = await server.call("POST", RUNS, { ...body, destination_project_identifier: "none" });
	expect(none.status).toBe(404);
});

test("annotates each item once, also when it is repeated", async () => {
	await server.send(traces(3));
	const annotation = { name: "quality", annotator_kind: "HUMAN", result: { score: 0.5, label: "so-so" } };
	const body = { action: "annotate", kind: "span", selection: { filter: { name: ["child"] } }, annotation };
	expect(await run(body)).toMatchObject({ state: "done", done_items: 3, annotation_name: "quality" });
	await run({ ...body, annotation: { ...annotation, result: { score: 1 } } });
	const spans = await ids("spans");
	const query = spans.map((id) => `span_ids=${encodeURIComponent(id)}`).join("&");
	const { json } = await server.get(`/v1/projects/default/span_annotations?${query}`);
	expect(json.data.map(({ result }: { result: { score: number } }) => result.score)).toEqual([1, 1, 1]);
	const counted = await server.get("/v1/projects/default/selection?kind=trace");
	expect(counted.json.data).toMatchObject({ item_count: 3, span_count: 6, annotation_count: 3 });
	const reserved = await server.call("POST", RUNS, { ...body, annotation: { ...annotation, name: "note" } });
	expect([reserved.status, reserved.text]).toEqual([400, expect.stringContaining("reserved")]);
});

test("adds spans, and of traces their root spans, to a dataset", async () => {
	await server.send(traces(3, { "input.value": text("hello") }));
	const upload = { action: "create", name: `d${Date.now()}`, inputs: [{ a: 1 }], outputs: [{ b: 1 }] };
	const created = await server.call("POST", "/v1/datasets/upload?sync=true", upload);
	const datasetId = created.json.data.dataset_id;
	const body = { action: "add_to_dataset", dataset_id: datasetId, splits: ["train"] };
	expect(await run({ ...body, kind: "trace", selection: { filter: {} } })).toMatchObject({
		state: "done",
		done_items: 3,
		dataset_id: datasetId,
	});
	await run({ ...body, kind: "span", selection: { filter: { name: ["child"] } } });
	const { json } = await server.get(`/v1/datasets/${datasetId}/examples?split=train`);
	expect(json.data.examples).toHaveLength(6);
	const missing = await server.call("POST", RUNS, {
		...body,
		...{ kind: "span", selection: { filter: {} }, dataset_id: encodeGlobalId("Dataset", 999_999) },
	});
	expect(missing.status).toBe(404);
	await server.call("DELETE", `/v1/datasets/${datasetId}`);
});

test("continues a step that a crash interrupted, and counts each item once", async () => {
	await server.send(traces(4));
	const { context } = server;
	const [first, ...others] = (await ids("traces")).map((id) => decodeGlobalId(id, "Trace") ?? 0);
	const projectId = (await context.traces.findTrace(first ?? 0))?.projectId ?? 0;
	const rowIds = [first ?? 0, ...others];
	const row = await context.db.write(async (transaction) => {
		const run = await insertBulkRun(transaction, {
			...{ project_id: projectId, action: "delete", kind: "trace", user_id: null, now: 1 },
			selection: { rowIds },
			parameters: { source: "API" },
		});
		const items = rowIds.map((rowId) => ({
			...{ rowId, traceRowId: rowId, spanRowId: null, startMicros: 0, traceCount: 1, spanCount: 2 },
		}));
		return await advance(transaction, run, { step: JSON.stringify({ items }) }, { now: 2 });
	});
	// The crash came after the first of them was deleted.
	await context.traces.deleteTrace(first ?? 0);
	context.events.emit("bulk_run_asked");
	const done = await ended(encodeGlobalId("BulkRun", row?.id ?? 0));
	expect(done).toMatchObject({ state: "done", total_items: 4, done_items: 4 });
	expect(await ids("traces")).toEqual([]);
});

test("changes nothing from a state that is no longer the run's", async () => {
	await server.send(traces(1));
	const { context } = server;
	const [traceId] = await ids("traces");
	const { json } = await server.call("POST", RUNS, { action: "delete", kind: "trace", selection: { ids: [traceId] } });
	await ended(json.data.id);
	const row = await getBulkRun(context.db.read, EVERYBODY, decodeGlobalId(json.data.id, "BulkRun") ?? 0);
	const stale = { ...row, revision: row.revision - 1 };
	expect(await context.db.write((transaction) => advance(transaction, stale, {}, { now: 1 }))).toBeUndefined();
	expect((await server.call("DELETE", `/v1/bulk_runs/${json.data.id}`)).status).toBe(204);
	expect((await server.get(`/v1/bulk_runs/${json.data.id}`)).json.data.state).toBe("done");
	const { json: page } = await server.get("/v1/bulk_runs?project=default&limit=1");
	expect(page.data[0].id).toBe(json.data.id);
});

test("refuses what cannot be selected", async () => {
	await server.send(traces(1));
	const post = async (selection: unknown, kind = "trace") => {
		const { status, text } = await server.call("POST", RUNS, { action: "delete", kind, selection });
		return [status, text];
	};
	expect(await post({ filter: { span_kind: ["LLM"] } })).toEqual([
		422,
		"The list of traces has no filter 'span_kind'.",
	]);
	expect(await post({ filter: { filter: "latency_ms >" } })).toEqual([400, expect.stringContaining("Invalid filter")]);
	expect(await post({ ids: ["0".repeat(32)] })).toEqual([
		404,
		"None of the selected traces is in this project any more.",
	]);
	for (const selection of [{ filter: { nmae: "x" } }, { ids: [] }, {}, { ids: ["1"], filter: {} }])
		expect((await post(selection))[0]).toBe(422);
	expect((await server.get("/v1/bulk_runs/none")).status).toBe(422);
	expect((await server.get(`/v1/bulk_runs/${encodeGlobalId("BulkRun", 999_999)}`)).status).toBe(404);
	const both = await server.get(`/v1/projects/default/selection?kind=trace&id=${"1".repeat(32)}&error=true`);
	expect([both.status, both.text]).toEqual([422, "A selection has ids or a filter, not both."]);
	expect(await ids("traces")).toHaveLength(1);
});

test("acts as who started it: an annotator leaves others' annotations, a lost role ends the run, only admins cancel others'", async () => {
	await using app = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	await using _work = carryOutBulkRuns(app.context);
	const [admin, member, other, viewer] = [
		await app.signedIn("ADMIN"),
		await app.signedIn("MEMBER"),
		await app.signedIn("MEMBER"),
		await app.signedIn("VIEWER"),
	];
	const spans = traces(2).map((span) => ({
		...{ ...span, startTimeUnixNano: `${T0}000000000`, endTimeUnixNano: `${T0}100000000` },
		attributes: [],
	}));
	await app.call("POST", "/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] }, member.headers);
	const body = (score: number, filter: object = {}) => ({
		...{ action: "annotate", kind: "trace", selection: { filter } },
		annotation: { name: "quality", annotator_kind: "HUMAN", result: { score } },
	});
	expect((await app.call("POST", RUNS, body(1), viewer.headers)).status).toBe(403);
	expect(await run(body(1, { name: ["odd"] }), app, other.headers)).toMatchObject({ done_items: 1 });
	const letMembersBe = async (open_role_of_members: "annotator" | "editor") => {
		const headers = { ...admin.headers, "if-match": "*" };
		expect((await app.call("PATCH", "/v1/access_policy", { open_role_of_members }, headers)).status).toBe(200);
	};
	await letMembersBe("annotator");
	const mixed = await run(body(2), app, member.headers);
	await letMembersBe("editor");
	expect(mixed).toMatchObject({ state: "done", done_items: 1, failed_items: 1 });
	expect(mixed.failures).toEqual([
		{ id: expect.any(String), reason: "Somebody else's annotation has this name and identifier." },
	]);
	for (const by of [admin, member])
		expect(await run(body(3), app, by.headers)).toMatchObject({ done_items: 2, failed_items: 0 });
	const { context } = app;
	const row = await getBulkRun(context.db.read, EVERYBODY, decodeGlobalId(mixed.id, "BulkRun") ?? 0);
	await context.db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", other.userId).execute(),
	);
	const { id: _id, ...copied } = row;
	const unfinished = { ...copied, state: "waiting", action: "delete", position: null } as const;
	const { id } = await context.db.write((transaction) =>
		transaction
			.insertInto("bulk_runs")
			.values({ ...unfinished, user_id: other.userId })
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	context.events.emit("bulk_run_asked");
	const lost = await ended(encodeGlobalId("BulkRun", id), app, member.headers);
	expect(lost).toMatchObject({ state: "failed", error: expect.stringContaining("Viewers may only read") });
	const cancel = async (headers: Record<string, string>) =>
		(await app.call("DELETE", `/v1/bulk_runs/${mixed.id}`, undefined, headers)).status;
	await context.db.write((transaction) =>
		transaction.updateTable("users").set({ role: "MEMBER" }).where("id", "=", other.userId).execute(),
	);
	context.auth.principals.invalidate();
	expect([await cancel(other.headers), await cancel(admin.headers), await cancel(member.headers)]).toEqual([
		403, 204, 204,
	]);
	const left = await app.get("/v1/projects/default/traces", viewer.headers);
	expect(left.json.data).toHaveLength(2);
});

test("a run that a limited key started ends with what the key may do", async () => {
	await using app = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const member = await app.signedIn("MEMBER");
	const succeed = async (
		method: "POST" | "PATCH" | "DELETE",
		path: string,
		body?: object,
		headers = member.headers,
	) => {
		const answer = await app.call(method, path, body, headers);
		expect(answer.status, answer.text).toBeLessThan(300);
		return answer.json?.data;
	};
	await succeed("POST", "/v1/projects", { name: "other" });
	const makeRun = async () => {
		const data = { name: "limited", permissions: ["read", "write"], projects: ["default", "other"] };
		const { id: key, key: secret } = await succeed("POST", "/v1/user/api_keys", { data });
		const body = { action: "delete", kind: "trace", selection: { filter: {} } };
		const { id } = await succeed("POST", RUNS, body, { authorization: `Bearer ${secret}` });
		return { run: id, path: `/v1/user/api_keys/${key}`, rowId: decodeGlobalId(key, "UserApiKey") ?? 0 };
	};
	const runs = {
		deleted: await makeRun(),
		readsOnly: await makeRun(),
		elsewhere: await makeRun(),
		expired: await makeRun(),
		alive: await makeRun(),
	};
	await succeed("DELETE", runs.deleted.path);
	await succeed("PATCH", runs.readsOnly.path, { permissions: ["read"] });
	await succeed("PATCH", runs.elsewhere.path, { projects: ["other"] });
	await app.context.db.write((transaction) =>
		transaction.updateTable("api_keys").set({ expires_at_ms: 1 }).where("id", "=", runs.expired.rowId).execute(),
	);
	await using _work = carryOutBulkRuns(app.context);
	const outcomes = Object.entries(runs).map(async ([name, { run }]) => {
		const { state, error } = await ended(run, app, member.headers);
		return [name, state, error] as const;
	});
	expect(await Promise.all(outcomes)).toEqual([
		["deleted", "failed", expect.stringContaining("key")],
		["readsOnly", "failed", expect.stringContaining("write")],
		["elsewhere", "failed", expect.stringContaining("not for you")],
		["expired", "failed", expect.stringContaining("key")],
		["alive", "done", null],
	]);
});

test("a run takes nothing out of a project that was restricted since, unless it was allowed to", async () => {
	await using app = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { headers } = await app.signedIn("ADMIN");
	const succeed = async (method: "POST" | "PATCH", path: string, body: object) => {
		const answer = await app.call(method, path, body, headers);
		expect(answer.status, answer.text).toBeLessThan(300);
		return answer.json.data;
	};
	await succeed("POST", "/v1/projects", { name: "open" });
	const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z", status_code: "OK" };
	const span = {
		name: "s",
		context: { trace_id: "a".repeat(32), span_id: "a".repeat(16) },
		span_kind: "LLM",
		...times,
	};
	await succeed("POST", "/v1/projects/default/spans", { data: [span] });
	const dataset = await succeed("POST", "/v1/datasets/upload?sync=true", { name: "library", inputs: [{ q: 1 }] });
	const selection = { filter: {} };
	const move = { action: "move", kind: "trace", destination_project_identifier: "open", selection };
	const add = { action: "add_to_dataset", kind: "span", dataset_id: dataset.dataset_id, selection };
	const runs: string[] = [];
	for (const body of [move, add, { ...add, allow_wider_access: true }])
		runs.push((await succeed("POST", RUNS, body)).id);
	await succeed("PATCH", "/v1/projects/default/access", { access: "restricted" });
	await using _work = carryOutBulkRuns(app.context);
	const states = runs.map(async (id) => (await ended(id, app, headers)).state);
	expect(await Promise.all(states)).toEqual(["failed", "failed", "done"]);
});

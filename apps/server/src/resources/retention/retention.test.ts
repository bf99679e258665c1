import { afterAll, beforeEach, expect, test } from "vitest";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { awayFromEndOf, DAY_MS, MINUTE_MS } from "#test-clock.ts";
import { runRetention } from "./run-retention.ts";

const DAY = 86_400;
/** When policies run that say nothing else. */
const RUN_AT_MS = 3 * 60 * MINUTE_MS;
const server = await openTestApp({ SERVICE_DEFAULT_RETENTION_POLICY_DAYS: "30" });
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
	await awayFromEndOf(DAY_MS, MINUTE_MS, RUN_AT_MS);
	await server.clear();
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: null });
	const { json } = await server.get("/v1/retention_policies?limit=1000");
	for (const { id } of json.data.slice(1)) await server.call("DELETE", `/v1/retention_policies/${id}`);
});

/** A trace that started `daysAgo` days ago. */
function trace(id: number, daysAgo: number, attributes: object = {}) {
	const seconds = Math.floor(Date.now() / 1_000 - daysAgo * DAY);
	return {
		traceId: String(id).padStart(32, "0"),
		spanId: String(id).padStart(16, "0"),
		startTimeUnixNano: `${seconds}000000000`,
		endTimeUnixNano: `${seconds}100000000`,
		attributes,
	};
}

async function create(body: object) {
	return await server.call("POST", "/v1/retention_policies", { name: "short", ...body });
}

async function traceIds(project = "default"): Promise<number[]> {
	const { json } = await server.get(`/v1/projects/${project}/traces?limit=1000`);
	return json.data.map(({ trace_id: id }: { trace_id: string }) => Number(id)).sort((a: number, b: number) => a - b);
}

/** Runs of a policy once all have ended. */
async function ended(policyId: string, count: number, of: TestApp = server) {
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	let runs: any[] = [];
	await expect
		.poll(async () => {
			runs = (await of.get(`/v1/retention_runs?policy_id=${policyId}`)).json.data;
			return runs.filter((run) => run.ended_at !== null).length;
		})
		.toBe(count);
	return runs;
}

test("lists the default policy first, which only a setting changes", async () => {
	const created = await create({ max_days: 7 });
	const { json } = await server.get("/v1/retention_policies");
	expect(json.data[0]).toMatchObject({
		id: Buffer.from("ProjectTraceRetentionPolicy:0").toString("base64"),
		name: "Default",
		max_days: 30,
		max_traces: null,
		created_at: null,
		project_count: 1,
	});
	expect(json.data[0].next_run_at).not.toBeNull();
	expect(json.data[1]).toEqual(created.json.data);
	const first = await server.get("/v1/retention_policies?limit=1");
	expect(first.json.data).toHaveLength(1);
	const second = await server.get(`/v1/retention_policies?limit=1&cursor=${first.json.next_cursor}`);
	expect(second.json).toEqual({ data: [created.json.data], next_cursor: null });
	const url = `/v1/retention_policies/${json.data[0].id}`;
	expect((await server.get(url)).json.data).toEqual(json.data[0]);
	expect((await server.call("PATCH", url, { max_days: 1 })).status).toBe(403);
	expect((await server.call("DELETE", url)).status).toBe(403);
});

test("creates, changes and deletes a policy", async () => {
	const created = await create({ max_days: 0.5, max_traces: 1_000, cron: " 30 2 * * 1 " });
	expect(created.status).toBe(201);
	expect(created.json.data).toMatchObject({
		name: "short",
		cron: "30 2 * * 1",
		max_days: 0.5,
		max_traces: 1_000,
		keep_annotated: false,
		project_count: 0,
		last_run_at: null,
	});
	expect(new Date(created.json.data.next_run_at).getUTCDay()).toBe(1);
	const url = `/v1/retention_policies/${created.json.data.id}`;
	const { headers } = await server.get(url);
	const etag = { "if-match": String(headers["etag"]) };
	const changed = await server.call("PATCH", url, { max_days: null, max_traces: null, keep_annotated: true }, etag);
	expect(changed.json.data).toMatchObject({ max_days: null, keep_annotated: true, next_run_at: null, name: "short" });
	expect((await server.call("PATCH", url, { name: "late" }, etag)).status).toBe(412);
	expect((await server.call("PATCH", url, { name: "long" })).json.data.name).toBe("long");
	expect((await server.call("DELETE", url)).status).toBe(204);
	expect((await server.get(url)).status).toBe(404);
	expect((await server.get("/v1/retention_policies/nonsense")).status).toBe(422);
});

test.each([
	[{ name: "" }],
	[{ name: "a\u0000" }],
	[{ max_days: 0 }],
	[{ max_days: 40_000 }],
	[{ max_traces: 0 }],
	[{ max_traces: 1.5 }],
	[{ cron: "0 3 * *" }],
	[{ cron: "0 0 31 2 *" }],
	[{ cron: "@hourly" }],
])("refuses a policy with %j", async (body) => {
	expect((await create(body)).status).toBe(422);
});

test("names are unique", async () => {
	const answers = await Promise.all([create({}), create({}), create({ name: "Default" })]);
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
	const other = await create({ name: "other" });
	const url = `/v1/retention_policies/${other.json.data.id}`;
	expect((await server.call("PATCH", url, { name: "short" })).status).toBe(409);
	expect((await server.call("PATCH", url, { name: "other" })).status).toBe(200);
});

test("shows the policy of a project, and assigns another one", async () => {
	const { id } = (await create({ max_days: 7 })).json.data;
	const url = "/v1/projects/default/retention";
	expect((await server.get(url)).json.data).toMatchObject({ policy_id: null, policy: { name: "Default" } });
	expect((await server.call("PATCH", url, { policy_id: id })).json.data.policy_id).toBe(id);
	expect((await server.get(url)).json.data).toMatchObject({
		policy_id: id,
		policy: { name: "short", project_count: 1 },
	});
	const none = Buffer.from("ProjectTraceRetentionPolicy:999999").toString("base64");
	expect((await server.call("PATCH", url, { policy_id: none })).status).toBe(404);
	expect((await server.call("PATCH", url, { policy_id: "nonsense" })).status).toBe(422);
	expect((await server.call("DELETE", `/v1/retention_policies/${id}`)).status).toBe(204);
	expect((await server.get(url)).json.data).toMatchObject({ policy_id: null, policy: { name: "Default" } });
	const byDefault = Buffer.from("ProjectTraceRetentionPolicy:0").toString("base64");
	expect((await server.call("PATCH", url, { policy_id: byDefault })).json.data.policy_id).toBeNull();
});

test("previews what the policy of a project, or one in the request, would delete, and deletes nothing", async () => {
	await server.send([trace(1, 40), trace(2, 31), trace(3, 10), trace(4, 1)]);
	const url = "/v1/projects/default/retention/preview";
	const byPolicy = (await server.get(url)).json.data;
	expect(byPolicy).toMatchObject({ max_days: 30, deleted_traces: 2, kept_traces: 0, remaining_traces: 2 });
	expect(byPolicy.traces.map(({ trace_id: id }: { trace_id: string }) => Number(id))).toEqual([1, 2]);
	expect(byPolicy.oldest).toBe(byPolicy.traces[0].start_time);
	expect(byPolicy.newest).toBe(byPolicy.traces[1].start_time);
	expect((await server.get(`${url}?max_days=5`)).json.data).toMatchObject({ deleted_traces: 3, max_traces: null });
	expect((await server.get(`${url}?max_traces=3`)).json.data).toMatchObject({ deleted_traces: 1, max_days: null });
	expect((await server.get(`${url}?max_traces=3&max_days=5&keep_annotated=true`)).json.data).toMatchObject({
		deleted_traces: 3,
		keep_annotated: true,
	});
	for (const wrong of ["max_days=0", "max_traces=0", "max_days=x"]) {
		expect((await server.get(`${url}?${wrong}`)).status).toBe(422);
	}
	expect(await traceIds()).toEqual([1, 2, 3, 4]);
});

test("a manual run deletes what the preview showed in the policy's projects, and empty sessions", async () => {
	await using _work = runRetention(server.context);
	const session = { "session.id": text("chat") };
	await server.send([trace(1, 40, session), trace(2, 10), trace(3, 1)], "kept short");
	await server.send([trace(4, 29), trace(5, 31)]);
	const { id } = (await create({ max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/kept short/retention", { policy_id: id });
	const asked = await server.call("POST", `/v1/retention_policies/${id}/run`);
	expect(asked).toMatchObject({ status: 202, json: { data: [{ policy_id: id, project_name: "kept short" }] } });
	const [run] = await ended(id, 1);
	expect(run).toMatchObject({ deleted_traces: 2, kept_traces: 0, error: null });
	expect(await traceIds("kept short")).toEqual([3]);
	expect((await server.get("/v1/projects/kept short/sessions")).json.data).toEqual([]);
	expect(await traceIds()).toEqual([4, 5]);
	const ofProject = await server.get("/v1/retention_runs?project=kept short");
	expect(ofProject.json.data).toEqual([run]);
});

test("a policy without limits, and one without projects, delete nothing", async () => {
	const { id } = (await create({})).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	expect((await server.call("POST", `/v1/retention_policies/${id}/run`)).json.data).toEqual([]);
	const unused = (await create({ name: "unused", max_days: 1 })).json.data.id;
	expect((await server.call("POST", `/v1/retention_policies/${unused}/run`)).json.data).toEqual([]);
});

test("a run that was requested while no server works is carried out at the next start, once", async () => {
	await server.send([trace(1, 40), trace(2, 1)]);
	const { id } = (await create({ max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	const asked = await server.call("POST", `/v1/retention_policies/${id}/run`);
	const again = await server.call("POST", `/v1/retention_policies/${id}/run`);
	expect(again.json.data).toEqual(asked.json.data);
	await using _work = runRetention(server.context);
	expect(await ended(id, 1)).toMatchObject([{ deleted_traces: 1 }]);
	expect(await traceIds()).toEqual([2]);
});

test("a run continues after the database was unreachable", async () => {
	await server.send([trace(1, 40), trace(2, 1)]);
	const { id } = (await create({ max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	await server.call("POST", `/v1/retention_policies/${id}/run`);
	const { context } = server;
	let met = 0;
	const deleteExpired = async () => {
		met += 1;
		throw new StorageUnavailable("unreachable", new Error("the connection ended"));
	};
	{
		await using _away = runRetention({ ...context, traces: withMethod(context.traces, { deleteExpired }) });
		await expect.poll(() => met).toBe(1);
	}
	await using _work = runRetention(context);
	expect(await ended(id, 1)).toMatchObject([{ deleted_traces: 1, error: null }]);
	expect(await traceIds()).toEqual([2]);
});

test("a run that fails ends with the reason, and counts as failed in the metrics", async () => {
	await server.send([trace(1, 40)]);
	const { id } = (await create({ max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	await server.call("POST", `/v1/retention_policies/${id}/run`);
	const { context } = server;
	const failures = async () =>
		Number(
			/^spanward_background_work_failures_total\{work="retention"\} (\d+)$/m.exec(await context.metrics.text())?.[1],
		);
	const before = (await failures()) || 0;
	const deleteExpired = async () => {
		throw new Error("as this test wants it");
	};
	await using _work = runRetention({ ...context, traces: withMethod(context.traces, { deleteExpired }) });
	expect(await ended(id, 1)).toMatchObject([{ error: "It failed; the server's log says why" }]);
	await expect.poll(failures).toBe(before + 1);
});

function withMethod<T extends object>(of: T, methods: Partial<T>): T {
	return new Proxy(of, {
		get(target, name) {
			if (name in methods) return methods[name as keyof T];
			const value: unknown = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
}

test("a run ends when the project has been assigned another policy", async () => {
	await server.send([trace(1, 40)]);
	const { id } = (await create({ max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	await server.call("POST", `/v1/retention_policies/${id}/run`);
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: null });
	await using _work = runRetention(server.context);
	expect(await ended(id, 1)).toMatchObject([{ deleted_traces: 0, error: "The project has another policy now" }]);
	expect(await traceIds()).toEqual([1]);
});

test("schedules missed while the server was off are made up for once, but none from before the policy", async () => {
	await server.send([trace(1, 40), trace(2, 1)]);
	const { id } = (await create({ max_days: 7, cron: "0 3 * * *" })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	const { context } = server;
	/** The runs after the server has worked at `days` days from now. */
	const runsAfter = async (days: number, count: number) => {
		{
			// Disposing waits until the due runs are requested.
			await using _work = runRetention({ ...context, now: () => context.now() + days * DAY * 1_000_000 });
		}
		await using _work = runRetention(context);
		return await ended(id, count);
	};
	expect(await runsAfter(0, 0)).toEqual([]);
	expect(await runsAfter(3, 1)).toMatchObject([{ deleted_traces: 1 }]);
	expect(await runsAfter(3, 1)).toHaveLength(1);
	expect(await runsAfter(6, 2)).toHaveLength(2);
	expect(await traceIds()).toEqual([2]);
});

test("the default policy is due at its scheduled time, counted from when it was set", async () => {
	await using own = await openTestApp({ SERVICE_DEFAULT_RETENTION_POLICY_DAYS: "30" });
	await own.send([trace(1, 40), trace(2, 1)]);
	const byDefault = Buffer.from("ProjectTraceRetentionPolicy:0").toString("base64");
	{
		await using _work = runRetention(own.context);
	}
	expect(await ended(byDefault, 0, own)).toEqual([]);
	const tomorrow = () => own.context.now() + DAY * 1_000_000;
	await using _work = runRetention({ ...own.context, now: tomorrow });
	expect(await ended(byDefault, 1, own)).toMatchObject([{ deleted_traces: 1, project_name: "default" }]);
	expect((await own.get("/v1/projects/default/traces")).json.data).toHaveLength(1);
});

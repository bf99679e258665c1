import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, T0, type TestApp } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

test("a project is created once, found by id and by name, changed and deleted", async () => {
	const created = await server.call("POST", "/v1/projects", { name: "chat", description: null, unknown: 1 });
	expect(created.status).toBe(200);
	const { id } = created.json.data;
	expect(created.json.data).toMatchObject({ name: "chat", description: null });
	expect(Buffer.from(id, "base64").toString()).toMatch(/^Project:\d+$/);

	const again = await server.call("POST", "/v1/projects", { name: "chat" });
	expect([again.status, again.text]).toEqual([409, "A project named chat already exists"]);

	for (const identifier of ["chat", id, encodeURIComponent(id), id.replace(/=+$/, "")]) {
		expect((await server.get(`/v1/projects/${identifier}`)).json.data.id).toBe(id);
	}
	await server.call("PUT", "/v1/projects/chat", { description: "about" });
	expect((await server.call("PUT", "/v1/projects/chat", {})).json.data.description).toBe("about");

	expect((await server.call("DELETE", "/v1/projects/chat")).status).toBe(204);
	expect((await server.get("/v1/projects/chat")).status).toBe(404);
});

test("a change names the state that it was made from", async () => {
	await server.call("POST", "/v1/projects", { name: "seen" });
	const seen = { "if-match": String((await server.get("/v1/projects/seen")).headers["etag"]) };
	const first = await server.call("PUT", "/v1/projects/seen", { description: "mine" }, seen);
	const second = await server.call("PUT", "/v1/projects/seen", { description: "theirs" }, seen);
	expect([first.status, second.status]).toEqual([200, 412]);
	const { headers, json } = await server.get("/v1/projects/seen");
	expect([headers["etag"], json.data.description]).toEqual([first.headers["etag"], "mine"]);
});

test("a name with a slash and other special characters works when encoded", async () => {
	const name = "team/a b?#é%";
	await server.call("POST", "/v1/projects", { name });
	expect((await server.get(`/v1/projects/${encodeURIComponent(name)}`)).json.data.name).toBe(name);
	await server.send([{}], name);
	expect((await server.get(`/v1/projects/${encodeURIComponent(name)}/traces`)).json.data).toHaveLength(1);
});

test("the default project cannot be deleted", async () => {
	await server.send([{}]);
	const { status, text } = await server.call("DELETE", "/v1/projects/default");
	expect([status, text]).toEqual([403, "The default project cannot be deleted"]);
});

test("names are bounded", async () => {
	for (const name of ["", "x".repeat(256), "a\u0000b"]) {
		expect((await server.call("POST", "/v1/projects", { name })).status).toBe(422);
	}
});

test("pages come newest first, by a cursor that names the next project", async () => {
	for (const name of ["one", "two", "Three_100%"]) await server.call("POST", "/v1/projects", { name });
	const first = await server.get("/v1/projects?limit=2");
	expect(first.json.data.map((project: { name: string }) => project.name)).toEqual(["Three_100%", "two"]);
	const second = await server.get(`/v1/projects?limit=1&cursor=${encodeURIComponent(first.json.next_cursor)}`);
	expect(second.json.data[0].name).toBe("one");
	expect((await server.get("/v1/projects?limit=1000")).json.next_cursor).toBeNull();
	expect((await server.get("/v1/projects?cursor=VHJhY2U6MQ==")).status).toBe(422);
	const found = await server.get(`/v1/projects?name_contains=${encodeURIComponent("three_100%")}`);
	expect(found.json.data).toHaveLength(1);
});

test("pages include what each project did in the last day, if asked", async () => {
	await server.send([{}], "busy");
	await server.call("POST", "/v1/projects", { name: "quiet" });
	const { data } = (await server.get("/v1/projects?include=activity")).json;
	const [quiet, busy] = ["quiet", "busy"].map((name) => data.find((each: { name: string }) => each.name === name));
	const nothing = { token_count_total: 0, total_cost: 0, latency_ms: null, newest_trace_start_time: null };
	expect(quiet.activity).toMatchObject(nothing);
	expect(quiet.activity.span_counts).toEqual(new Array(24).fill(0));
	const newest = (await server.get("/v1/projects/busy/traces")).json.data[0].start_time;
	expect(busy.activity.newest_trace_start_time).toBe(newest);
	expect((await server.get("/v1/projects")).json.data[0]).not.toHaveProperty("activity");
	expect((await server.get("/v1/projects?include=other")).status).toBe(422);
});

test("sorts by what each project did in the last day, page by page, and those that did nothing last", async () => {
	const now = BigInt(server.context.now()) * 1_000n;
	const span = (index: number, more = {}) => ({
		spanId: String(index).repeat(16),
		startTimeUnixNano: String(now - 60_000_000_000n),
		endTimeUnixNano: String(now),
		...more,
	});
	const quick = { endTimeUnixNano: String(now - 59_000_000_000n) };
	await server.send([span(1), span(2), span(3, { status: { code: 2 } })], "many");
	await server.send([span(1, { status: { code: 2 }, ...quick })], "failing");
	await server.send([span(1, quick), span(2, { endTimeUnixNano: String(now - 50_000_000_000n) })], "healthy");
	await server.call("POST", "/v1/projects", { name: "quiet" });
	const names = async (query: string) => {
		const all: string[] = [];
		let cursor: string | null = "";
		while (cursor !== null) {
			const { json } = await server.get(`/v1/projects?limit=2&cursor=${encodeURIComponent(cursor)}&${query}`);
			all.push(...json.data.map(({ name }: { name: string }) => name));
			cursor = json.next_cursor;
		}
		return all.filter((name) => name !== "default");
	};
	expect(await names("sort=span_count")).toEqual(["many", "healthy", "failing", "quiet"]);
	expect(await names("sort=span_count&order=asc")).toEqual(["quiet", "failing", "healthy", "many"]);
	expect(await names("sort=error_rate")).toEqual(["failing", "many", "healthy", "quiet"]);
	expect(await names("sort=error_rate&order=asc")).toEqual(["healthy", "many", "failing", "quiet"]);
	expect((await names("sort=newest_trace_start_time")).at(-1)).toBe("quiet");
	expect(await names("sort=latency_p95")).toEqual(["many", "healthy", "failing", "quiet"]);
	expect(await names("sort=latency_p50&order=asc")).toEqual(["failing", "healthy", "many", "quiet"]);
	expect(await names("sort=name&order=asc")).toEqual(["failing", "healthy", "many", "quiet"]);
	expect(await names("sort=name")).toEqual(["quiet", "many", "healthy", "failing"]);
	expect(await names("order=asc")).toEqual(["many", "failing", "healthy", "quiet"]);
	expect((await server.get("/v1/projects?sort=span_count")).json.data[0]).not.toHaveProperty("activity");
	expect((await server.get("/v1/projects?sort=size")).status).toBe(422);
});

test("deleting a project deletes its traces, and a new project of that name gets another id", async () => {
	await server.send([{}], "gone");
	const before = (await server.get("/v1/projects/gone")).json.data.id;
	await server.call("DELETE", "/v1/projects/gone");
	await server.call("POST", "/v1/projects", { name: "gone" });
	const after = (await server.get("/v1/projects/gone")).json.data.id;
	expect(after).not.toBe(before);
	expect((await server.get("/v1/projects/gone/traces")).json.data).toEqual([]);
});

test("metrics count by bucket and group", async () => {
	const end = (millis: number) => `${BigInt(T0) * 1_000_000_000n + BigInt(millis) * 1_000_000n}`;
	const llm = { "openinference.span.kind": { stringValue: "LLM" }, "llm.model_name": { stringValue: "gpt-4o" } };
	await server.send([
		{ spanId: "a".repeat(16), attributes: llm, endTimeUnixNano: end(100) },
		{ spanId: "b".repeat(16), parentSpanId: "a".repeat(16), status: { code: 2 }, endTimeUnixNano: end(300) },
	]);
	const window = "start_time=2023-11-14T22:00:00Z&end_time=2023-11-14T23:00:00Z";
	const all = await server.get(`/v1/projects/default/metrics?${window}&bucket=hour`);
	expect(all.json.bucket).toBe("hour");
	expect(all.json.data).toHaveLength(1);
	expect(all.json.data[0]).toMatchObject({
		start_time: "2023-11-14T22:00:00+00:00",
		group: null,
		trace_count: 1,
		span_count: 2,
		error_count: 1,
	});
	const grouped = await server.get(`/v1/projects/default/metrics?${window}&group_by=model`);
	expect(grouped.json.bucket).toBe("minute");
	expect(grouped.json.data.map((point: { group: string | null }) => point.group).toSorted()).toEqual(["gpt-4o", null]);
	expect((await server.get("/v1/projects/default/metrics?start_time=2024-01-02&end_time=2024-01-01")).status).toBe(422);
	const wide = await server.get("/v1/projects/default/metrics?start_time=1970-01-01&end_time=2024-01-01&bucket=minute");
	expect(wide.status).toBe(422);
});

test("metrics of a list count the rows that match its filter", async () => {
	const at = (seconds: number) => `${BigInt(T0 + seconds)}000000000`;
	const llm = { "openinference.span.kind": { stringValue: "LLM" }, "llm.token_count.total": { intValue: "5" } };
	await server.send([
		{ traceId: "1".repeat(32), spanId: "a".repeat(16), name: "ask", startTimeUnixNano: at(0), endTimeUnixNano: at(4) },
		{
			traceId: "1".repeat(32),
			spanId: "b".repeat(16),
			parentSpanId: "a".repeat(16),
			attributes: llm,
			status: { code: 2 },
			startTimeUnixNano: at(1),
			endTimeUnixNano: at(2),
		},
		{
			traceId: "2".repeat(32),
			spanId: "c".repeat(16),
			name: "other",
			startTimeUnixNano: at(7_200),
			endTimeUnixNano: at(7_201),
		},
	]);
	const metrics = async (query: string) => (await server.get(`/v1/projects/default/${query}`)).json;
	const ask = await metrics(`trace_metrics?filter=${encodeURIComponent("name == 'ask'")}`);
	expect(ask).toMatchObject({ bucket: "hour", read_from: null });
	expect(ask.data).toEqual([
		expect.objectContaining({
			start_time: "2023-11-14T22:00:00+00:00",
			trace_count: 1,
			span_count: 2,
			error_count: 1,
			latency_ms: { p50: 4_000, p95: 4_000, p99: 4_000 },
			token_count_total: 5,
		}),
	]);
	expect((await metrics("trace_metrics")).data).toHaveLength(2);
	expect((await metrics("trace_metrics?session_id=unknown")).data).toEqual([]);
	const llmSpans = await metrics("span_metrics?span_kind=LLM&bucket=day");
	expect(llmSpans.data).toMatchObject([{ trace_count: 0, span_count: 1, error_count: 1, token_count_total: 5 }]);
	const wrong = await server.get(`/v1/projects/default/trace_metrics?filter=${encodeURIComponent("nmae == 'a'")}`);
	expect(wrong.status).toBe(400);
});

test("every project has the default retention policy, the only one there is", async () => {
	const { id } = (await server.call("POST", "/v1/projects", { name: "kept" })).json.data;
	const patch = (identifier: string, body: object) =>
		server.call("PATCH", `/v1/projects/${identifier}/retention`, body);
	const policy = (number: number) => Buffer.from(`ProjectTraceRetentionPolicy:${number}`).toString("base64");
	for (const policy_id of [null, policy(0)]) {
		const { status, json } = await patch("kept", { policy_id });
		expect([status, json]).toEqual([200, { data: { project_id: id, policy_id: null } }]);
	}
	expect((await patch("kept", {})).json.detail[0]).toMatchObject({ type: "missing", loc: ["body", "policy_id"] });
	const unknown = await patch("kept", { policy_id: policy(7) });
	expect([unknown.status, unknown.text]).toEqual([404, `Retention policy with ID ${policy(7)} not found`]);
	const bad = await patch("kept", { policy_id: "nonsense" });
	expect([bad.status, bad.text]).toEqual([422, "Invalid retention policy ID: nonsense"]);
	expect((await patch("nobody", { policy_id: null })).status).toBe(404);
});

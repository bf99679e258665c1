import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
const nanos = (seconds: number) => `${BigInt(T0 + seconds)}000000000`;

/** Traces in these sessions, one second apart. */
function inSessions(...sessions: string[]) {
	return sessions.map((session, index) => ({
		traceId: hex(index + 1, 32),
		spanId: hex(index + 1, 16),
		startTimeUnixNano: nanos(index),
		endTimeUnixNano: nanos(index + 1),
		attributes: {
			"session.id": text(session),
			"user.id": text(`user of ${session}`),
			"input.value": text(`turn ${index} word-${session}`),
		},
	}));
}

const names = (page: { json: { data: { session_id: string }[] } }) =>
	page.json.data.map((session) => session.session_id);

test("a session lists its traces by time, with the totals", async () => {
	await server.send(inSessions("s", "s"));
	const { json } = await server.get("/v1/sessions/s");
	expect(json.data).toMatchObject({
		session_id: "s",
		user_id: "user of s",
		start_time: "2023-11-14T22:13:20+00:00",
		end_time: "2023-11-14T22:13:22+00:00",
		latency_ms: 2_000,
		trace_count: 2,
		span_count: 2,
		error_count: 0,
		token_count_total: 0,
		first_input: "turn 0 word-s",
	});
	expect(json.data.traces.map((trace: { trace_id: string }) => trace.trace_id)).toEqual([hex(1, 32), hex(2, 32)]);
	expect((await server.get(`/v1/sessions/${json.data.id}`)).json.data.session_id).toBe("s");
});

test("the list is ordered by row, ascending, and has pages and filters", async () => {
	await server.send(inSessions("a", "b", "c"));
	expect(names(await server.get("/v1/projects/default/sessions"))).toEqual(["a", "b", "c"]);
	for (const sort of ["id", "start_time"]) {
		const url = `/v1/projects/default/sessions?limit=2&order=desc&sort=${sort}`;
		const first = await server.get(url);
		expect(names(first)).toEqual(["c", "b"]);
		expect(names(await server.get(`${url}&cursor=${encodeURIComponent(first.json.next_cursor)}`))).toEqual(["a"]);
	}
	expect(names(await server.get("/v1/projects/default/sessions?start_time=2023-11-14T22:13:21Z"))).toEqual(["b", "c"]);
	expect(names(await server.get("/v1/projects/default/sessions?user_id=user%20of%20b"))).toEqual(["b"]);
	expect(names(await server.get("/v1/projects/default/sessions?error=true"))).toEqual([]);
	expect(names(await server.get("/v1/projects/default/sessions?q=TURN%20word-c"))).toEqual(["c"]);
	expect((await server.get("/v1/projects/default/sessions?include_traces=false")).json.data[0].traces).toEqual([]);
	expect((await server.get("/v1/projects/default/sessions?filter=x%20%3D%201")).status).toBe(400);
	expect((await server.get("/v1/projects/default/sessions?cursor=abc")).status).toBe(422);
});

test("a cursor of another sort is refused", async () => {
	await server.send(inSessions("a", "b", "c"));
	for (const [sort, other] of [
		["start_time", "end_time"],
		["trace_count", "span_count"],
	]) {
		const { json } = await server.get(`/v1/projects/default/sessions?limit=2&sort=${sort}`);
		const cursor = encodeURIComponent(json.next_cursor);
		for (const [asked, status] of [
			[sort, 200],
			[other, 422],
		])
			expect((await server.get(`/v1/projects/default/sessions?sort=${asked}&cursor=${cursor}`)).status).toBe(status);
	}
});

test("one session id in two projects is two sessions", async () => {
	await server.send(inSessions("s"), "a");
	await server.send(inSessions("s"), "b");
	const { status, text: message } = await server.get("/v1/sessions/s");
	expect(status).toBe(409);
	expect(message).toContain("?project=");
	const one = await server.get("/v1/sessions/s?project=a");
	expect(one.json.data.trace_count).toBe(1);
	expect((await server.call("DELETE", "/v1/sessions/s?project=a")).status).toBe(204);
	expect((await server.get("/v1/projects/a/traces")).json.data).toEqual([]);
	expect((await server.get("/v1/projects/b/traces")).json.data).toHaveLength(1);
});

test("several are deleted at once, unknown ones skipped", async () => {
	await server.send(inSessions("a", "b", "c"));
	const ids = await server.get("/v1/projects/default/sessions");
	const remove = (session_identifiers: string[]) => server.call("POST", "/v1/sessions/delete", { session_identifiers });
	expect(await remove([])).toMatchObject({ status: 422, text: "Session identifier list must not be empty." });
	expect((await remove(["a", ids.json.data[1].id])).status).toBe(422);
	expect((await remove(["a", "b", "nobody"])).status).toBe(204);
	expect(names(await server.get("/v1/projects/default/sessions"))).toEqual(["c"]);
	expect(await server.get("/v1/sessions/a")).toMatchObject({
		status: 404,
		text: "Session with session_id a not found",
	});
});

test("the events of a coding agent are a session with a trace for each prompt, sent once or twice", async () => {
	for (let time = 0; time < 2; time++) await server.replay("agents/claude-code", "agents");
	const sessions = await server.get("/v1/projects/agents/sessions");
	expect(sessions.json.data).toMatchObject([{ trace_count: 3, token_count_total: 28_158 }]);
	const { json } = await server.get("/v1/projects/agents/traces?sort=start_time&order=asc");
	expect(json.data).toMatchObject([
		{ root_name: "chat claude-opus-4-8", span_count: 1 },
		{
			root_name: "Claude Code",
			span_count: 5,
			first_input: "Which files are here?",
			last_output: expect.stringContaining("notes.txt"),
		},
		{ root_name: "Claude Code", span_count: 5, error_count: 1 },
	]);
	expect(json.data[1].latency_ms).toBeGreaterThan(1_000);
});

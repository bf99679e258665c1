import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
const nanos = (seconds: number, micros = 0) => `${BigInt(T0 + seconds) * 1_000_000_000n + BigInt(micros) * 1_000n}`;

/** Traces 1…n, a second apart, each a second longer than the previous one. */
function manyTraces(count: number) {
	return Array.from({ length: count }, (_, index) => ({
		traceId: hex(index + 1, 32),
		spanId: hex(index + 1, 16),
		name: `root ${index + 1}`,
		startTimeUnixNano: nanos(index),
		endTimeUnixNano: nanos(2 * index + 1),
	}));
}

async function allPages(url: string): Promise<string[]> {
	const ids: string[] = [];
	let cursor: string | null = null;
	do {
		const page = await server.get(cursor === null ? url : `${url}&cursor=${encodeURIComponent(cursor)}`);
		if (page.status !== 200) throw new Error(page.text);
		ids.push(...page.json.data.map((trace: { trace_id: string }) => trace.trace_id));
		cursor = page.json.next_cursor;
	} while (cursor !== null);
	return ids;
}

describe("a span without an end", () => {
	const start = { traceId: hex(1, 32), spanId: hex(1, 16), name: "agent", startTimeUnixNano: nanos(0) };
	const child = { traceId: hex(1, 32), spanId: hex(2, 16), parentSpanId: hex(1, 16), name: "step" };
	const at = "2023-11-14T22:13:20+00:00";

	test("runs, from its start and without a latency, until it is sent with its end", async () => {
		await server.send([{ ...start, endTimeUnixNano: undefined }]);
		const open = { state: "unfinished", start_time: at, end_time: at, latency_ms: null };
		const trace = await server.get(`/v1/projects/default/traces/${hex(1, 32)}`);
		expect(trace.json.data).toMatchObject({ ...open, span_count: 1, running_count: 1, spans: [open] });
		const spans = () => server.get("/v1/projects/default/spans");
		expect((await spans()).json.data).toMatchObject([open]);
		const otlp = await server.get("/v1/projects/default/spans/otlpv1");
		expect(otlp.json.data).toMatchObject([{ end_time_unix_nano: 0 }]);
		await server.send([{ ...start, endTimeUnixNano: nanos(2), status: { code: 2 } }]);
		const ended = { state: "ended", latency_ms: 2_000, status_code: "ERROR", start_time: at };
		expect((await spans()).json.data).toMatchObject([ended]);
		const { json } = await server.get("/v1/projects/default/traces");
		expect(json.data).toMatchObject([{ state: "ended", latency_ms: 2_000, running_count: 0, error_count: 1 }]);
	});

	test("is running while its trace has something new, and unfinished a day after", async () => {
		const now = Math.floor(server.context.now() / 1e6) - T0;
		const states = async () => {
			const { json } = await server.get(`/v1/projects/default/traces/${hex(1, 32)}`);
			return [json.data.state, ...json.data.spans.map((span: { state: string }) => span.state)];
		};
		await server.send([{ ...start, startTimeUnixNano: nanos(now - 90_000), endTimeUnixNano: "0" }]);
		expect(await states()).toEqual(["unfinished", "unfinished"]);
		await server.send([{ ...child, startTimeUnixNano: nanos(now - 60), endTimeUnixNano: nanos(now - 50) }]);
		expect(await states()).toEqual(["running", "running", "ended"]);
	});
});

describe("the list", () => {
	test.each([
		["sort=start_time&order=desc", [5, 4, 3, 2, 1]],
		["sort=start_time&order=asc", [1, 2, 3, 4, 5]],
		["sort=latency_ms&order=desc", [5, 4, 3, 2, 1]],
		["sort=latency_ms&order=asc", [1, 2, 3, 4, 5]],
	])("pages by %s without a gap or a repetition", async (sort, numbers) => {
		await server.send(manyTraces(5));
		for (const limit of [1, 2, 5]) {
			const ids = await allPages(`/v1/projects/default/traces?${sort}&limit=${limit}`);
			expect(ids).toEqual(numbers.map((number) => hex(number, 32)));
		}
	});

	test("every sort pages, also by a score, and an unknown one is refused with the list of the known ones", async () => {
		await server.send(manyTraces(4));
		for (const sort of ["total_cost", "token_count_total", "error_count", "span_count"])
			expect((await allPages(`/v1/projects/default/traces?sort=${sort}&limit=1`)).toSorted()).toEqual(
				[1, 2, 3, 4].map((number) => hex(number, 32)),
			);
		const data = [3, 1, 2].map((number) => ({
			trace_id: hex(number, 32),
			name: "fit: 100 %",
			annotator_kind: "CODE",
			result: { score: number / 7 },
		}));
		await server.call("POST", "/v1/trace_annotations?sync=true", { data });
		const byScore = await allPages(
			`/v1/projects/default/traces?sort=${encodeURIComponent("score.fit: 100 %")}&limit=1`,
		);
		expect(byScore).toEqual([3, 2, 1].map((number) => hex(number, 32)));
		for (const sort of ["colour", "score.", "score"]) {
			const { status, text } = await server.get(`/v1/projects/default/traces?sort=${sort}`);
			expect(status).toBe(422);
			expect(text).toContain(
				"Input should be 'start_time', 'latency_ms', 'total_cost', 'token_count_total', 'error_count', 'span_count' or 'score.' and the name of annotations",
			);
		}
	});

	test("ties in time are ordered by row", async () => {
		await server.send(
			manyTraces(6).map((span) => ({ ...span, startTimeUnixNano: nanos(0), endTimeUnixNano: nanos(1) })),
		);
		for (const sort of ["start_time", "latency_ms"]) {
			expect(new Set(await allPages(`/v1/projects/default/traces?sort=${sort}&limit=1`)).size).toBe(6);
		}
	});

	test("a cursor of another sort and a forged one are refused", async () => {
		await server.send(manyTraces(3));
		const { json } = await server.get("/v1/projects/default/traces?sort=latency_ms&limit=1");
		for (const sort of ["start_time", "total_cost", "score.quality"])
			for (const cursor of [json.next_cursor, "x", "VHJhY2U6MQ=="]) {
				const url = `/v1/projects/default/traces?sort=${sort}&cursor=${encodeURIComponent(cursor)}`;
				const { status, text } = await server.get(url);
				const reason = cursor === json.next_cursor ? ": it is from a list with another sort" : "";
				expect([status, text]).toEqual([422, `Invalid cursor${reason}`]);
			}
	});

	test("items have the fields that released clients read, and Spanward's own", async () => {
		await server.send([
			{
				spanId: "a".repeat(16),
				name: "root",
				endTimeUnixNano: nanos(0, 1_500),
				attributes: { "session.id": text("s"), "user.id": text("u"), "input.value": text("hi") },
			},
			{ spanId: "b".repeat(16), parentSpanId: "a".repeat(16), status: { code: 2, message: "no" } },
		]);
		const { json } = await server.get("/v1/projects/default/traces?include_spans=true");
		expect(json.data[0]).toMatchObject({
			trace_id: "1".repeat(32),
			start_time: "2023-11-14T22:13:20+00:00",
			end_time: "2023-11-14T22:13:20.100000+00:00",
			latency_ms: 100,
			token_count_total: 0,
			total_cost: null,
			span_count: 2,
			error_count: 1,
			root_name: "root",
			root_span_id: "a".repeat(16),
			first_input: "hi",
			session_id: "s",
			user_id: "u",
		});
		expect(json.data[0].spans.map((span: { span_id: string }) => span.span_id)).toEqual([
			"a".repeat(16),
			"b".repeat(16),
		]);
		expect((await server.get("/v1/projects/default/traces")).json.data[0].spans).toBeNull();
	});

	test("filters by time, error, latency, name, user, session, model and text", async () => {
		const [one, two, three] = manyTraces(3);
		await server.send([
			{
				...one,
				status: { code: 2 },
				attributes: { "user.id": text("u1"), "llm.model_name": text("m1"), "openinference.span.kind": text("LLM") },
			},
			{ ...two, attributes: { "session.id": text("s2"), "input.value": text("the needle in it") } },
			{ ...three },
		]);
		const numbers = async (query: string) =>
			(await allPages(`/v1/projects/default/traces?order=asc&${query}`)).map((id) => Number.parseInt(id, 16));
		expect(await numbers("start_time=2023-11-14T22:13:21Z")).toEqual([2, 3]);
		expect(await numbers("end_time=2023-11-14T22:13:21Z")).toEqual([1]);
		expect(await numbers("error=true")).toEqual([1]);
		expect(await numbers("error=false")).toEqual([2, 3]);
		expect(await numbers("min_latency_ms=2000")).toEqual([2, 3]);
		expect(await numbers("max_latency_ms=1500")).toEqual([1]);
		expect(await numbers("name=root%202&name=root%203")).toEqual([2, 3]);
		expect(await numbers("user_id=u1")).toEqual([1]);
		expect(await numbers("model=m1")).toEqual([1]);
		expect(await numbers("session_identifier=s2")).toEqual([2]);
		expect(await numbers("session_id=unknown")).toEqual([]);
		expect(await numbers("q=needle")).toEqual([2]);
		expect(await numbers("filter=%20")).toEqual([1, 2, 3]);
	});

	test("a filter that cannot be parsed is refused with the position and a suggestion", async () => {
		const path = `/v1/projects/default/traces?filter=${encodeURIComponent("num_span > 3")}`;
		const { status, text: message } = await server.get(path);
		expect(status).toBe(400);
		expect(message).toBe("Invalid filter: a trace has no field num_span (at character 1); did you mean num_spans?");
		const problem = await server.get(path, { accept: "application/problem+json" });
		expect(problem.json).toMatchObject({
			code: "invalid_filter",
			position: 0,
			length: 8,
			suggestions: ["num_spans"],
		});
	});
});

describe("one trace", () => {
	test("is answered with its spans, page by page in order of time", async () => {
		await server.send(
			Array.from({ length: 5 }, (_, index) => ({
				spanId: hex(index + 1, 16),
				...(index === 0 ? {} : { parentSpanId: hex(1, 16) }),
				startTimeUnixNano: nanos(index),
				endTimeUnixNano: nanos(index + 1),
			})),
		);
		const url = `/v1/projects/default/traces/${"1".repeat(32)}?limit=2`;
		const first = await server.get(url);
		expect(first.json.data.span_count).toBe(5);
		const second = await server.get(`${url}&cursor=${encodeURIComponent(first.json.next_cursor)}`);
		const third = await server.get(`${url}&cursor=${encodeURIComponent(second.json.next_cursor)}`);
		const ids = [first, second, third].flatMap(({ json }) =>
			json.data.spans.map((span: { span_id: string }) => span.span_id),
		);
		expect(ids).toEqual([1, 2, 3, 4, 5].map((number) => hex(number, 16)));
		expect(third.json.next_cursor).toBeNull();
		expect(first.json.data.spans[0].semantic).toBeUndefined();
	});

	test("shows meaning and attributes on request", async () => {
		await server.send([{ attributes: { "input.value": text("hi"), "openinference.span.kind": text("CHAIN") } }]);
		const { json } = await server.get(`/v1/projects/default/traces/${"1".repeat(32)}?include=semantic,attributes`);
		expect(json.data.spans[0]).toMatchObject({
			span_kind: "CHAIN",
			semantic: { kind: "CHAIN", input_text: "hi" },
			attributes: { "input.value": "hi" },
		});
	});

	test("tells by digests which spans have equal content, whatever the ids of their calls", async () => {
		const model = (id: string, city: string, temperature: string) => ({
			"openinference.span.kind": text("LLM"),
			"llm.input_messages.0.message.role": text("user"),
			"llm.input_messages.0.message.content": text("What is the weather?"),
			"llm.output_messages.0.message.role": text("assistant"),
			"llm.output_messages.0.message.tool_calls.0.tool_call.id": text(id),
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": text("weather"),
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": text(JSON.stringify({ city })),
			"llm.invocation_parameters": text(JSON.stringify({ temperature })),
			"output.value": text(`{"id": "${id}"}`),
		});
		await server.send([
			{ spanId: hex(1, 16), attributes: model("a", "Lyon", "0") },
			{ spanId: hex(2, 16), attributes: model("b", "Lyon", "0") },
			{ spanId: hex(3, 16), attributes: model("b", "Oslo", "1") },
			{ spanId: hex(4, 16), attributes: {} },
		]);
		const { json } = await server.get(`/v1/projects/default/traces/${"1".repeat(32)}?include=content_digests`);
		const [first, same, other, empty] = json.data.spans.map(
			(span: { content_digests: unknown }) => span.content_digests,
		);
		expect(same).toEqual(first);
		expect(other.input).toBe(first.input);
		expect(other.output).not.toBe(first.output);
		expect(other.parameters).not.toBe(first.parameters);
		expect(empty).toEqual({ input: null, output: null, parameters: null });
	});

	test("leaves the sums over descendants out on request", async () => {
		await server.send(manyTraces(1));
		const trace = `/v1/projects/default/traces/${hex(1, 32)}`;
		const span = `${trace}/spans/${hex(1, 16)}`;
		expect((await server.get(trace)).json.data.spans[0]).toHaveProperty("cumulative_error_count", 0);
		expect((await server.get(span)).json.data).toHaveProperty("cumulative_error_count", 0);
		expect((await server.get(`${trace}?cumulative=false`)).json.data.spans[0]).not.toHaveProperty(
			"cumulative_error_count",
		);
		expect((await server.get(`${span}?cumulative=false`)).json.data).not.toHaveProperty("cumulative_error_count");
	});

	test("is 404 when it is in another project only", async () => {
		await server.send([{}], "other");
		await server.call("POST", "/v1/projects", { name: "default" });
		expect((await server.get(`/v1/projects/default/traces/${"1".repeat(32)}`)).status).toBe(404);
	});
});

describe("delete", () => {
	test("by hex id and by global id", async () => {
		await server.send(manyTraces(2));
		expect((await server.call("DELETE", `/v1/traces/${hex(1, 32)}`)).status).toBe(204);
		const { json } = await server.get("/v1/projects/default/traces");
		expect((await server.call("DELETE", `/v1/traces/${json.data[0].id}`)).status).toBe(204);
		expect((await server.get("/v1/projects/default/traces")).json.data).toEqual([]);
		const gone = await server.call("DELETE", `/v1/traces/${hex(1, 32)}`);
		expect([gone.status, gone.text]).toEqual([404, `Trace with trace_id '${hex(1, 32)}' not found`]);
	});

	test("answers an id in two projects with 409, unless ?project= names one", async () => {
		await server.send([{}], "a");
		await server.send([{}], "b");
		const { status, text: message } = await server.call("DELETE", `/v1/traces/${"1".repeat(32)}`);
		expect(status).toBe(409);
		expect(message.match(/VHJhY2U6[A-Za-z0-9+/]+=*/g)).toHaveLength(2);
		expect((await server.call("DELETE", `/v1/traces/${"1".repeat(32)}?project=a`)).status).toBe(204);
		expect((await server.get("/v1/projects/b/traces")).json.data).toHaveLength(1);
	});

	test("of a time window deletes the traces that start in it", async () => {
		await server.send(manyTraces(3));
		const url = "/v1/projects/default/traces?start_time=2023-11-14T22:13:20Z";
		expect((await server.call("DELETE", url)).status).toBe(422);
		expect((await server.call("DELETE", `${url}&end_time=2023-11-14T22:13:20Z`)).status).toBe(422);
		expect((await server.call("DELETE", `${url}&end_time=2023-11-14T22:13:22Z`)).status).toBe(204);
		expect(await allPages("/v1/projects/default/traces?limit=10")).toEqual([hex(3, 32)]);
	});
});

describe("transfer", () => {
	test("moves traces and their sessions' counts", async () => {
		await server.send(
			manyTraces(2).map((span) => ({ ...span, attributes: { "session.id": text("s") } })),
			"from",
		);
		await server.call("POST", "/v1/projects", { name: "to" });
		const body = { trace_identifiers: [hex(1, 32), hex(2, 32)], destination_project_identifier: "to" };
		const { status, json } = await server.call("POST", "/v1/traces/transfer", body);
		expect([status, json.data.transferred_trace_count]).toEqual([200, 2]);
		expect((await server.get("/v1/projects/from/traces")).json.data).toEqual([]);
		const moved = await server.get("/v1/projects/to/sessions");
		expect(moved.json.data[0]).toMatchObject({
			session_id: "s",
			trace_count: 2,
			project_id: json.data.destination_project_id,
		});
	});

	test("requires that all traces exist, in one project", async () => {
		await server.send([{ traceId: hex(1, 32) }], "a");
		await server.send([{ traceId: hex(2, 32) }], "b");
		const move = (...ids: number[]) =>
			server.call("POST", "/v1/traces/transfer", {
				trace_identifiers: ids.map((id) => hex(id, 32)),
				destination_project_identifier: "a",
			});
		expect((await move(1, 9)).status).toBe(404);
		expect((await move(1, 2)).status).toBe(422);
		expect((await move()).status).toBe(422);
	});
});

test("new traces arrive in the stream, and it ends with the server", async () => {
	await using live = await openTestApp();
	await live.call("POST", "/v1/projects", { name: "live" });
	const address = await live.app.listen({ host: "127.0.0.1", port: 0 });
	const response = await fetch(`${address}/v1/projects/live/stream`, { headers: { "accept-encoding": "gzip" } });
	expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
	expect(response.headers.get("content-encoding")).toBeNull();
	const body = response.body;
	if (body === null) throw new Error("no body");
	const reader = body.pipeThrough(new TextDecoderStream()).getReader();
	let seen = (await reader.read()).value ?? "";
	expect(seen).toContain("event: heartbeat\ndata: ");
	await live.send([{ name: "elsewhere" }], "other");
	await live.send([{ name: "hello", traceId: hex(2, 32) }], "live");
	while (!seen.includes("event: trace")) seen += (await reader.read()).value ?? "";
	expect(seen).toContain('"root_name":"hello"');
	expect(seen).not.toContain("elsewhere");
	// A trace that was moved out of the project is not sent to its readers.
	const moving = { trace_identifiers: [hex(2, 32)], destination_project_identifier: "other" };
	expect((await live.call("POST", "/v1/traces/transfer", moving)).status).toBe(200);
	await live.send([{ name: "last", traceId: hex(3, 32) }], "live");
	while (!seen.includes('"root_name":"last"')) seen += (await reader.read()).value ?? "";
	expect(seen.split('"root_name":"hello"')).toHaveLength(2);
	const closed = live.app.close();
	while (!(await reader.read()).done);
	await closed;
});

describe("the outline", () => {
	const address = `/v1/projects/default/traces/${hex(1, 32)}/outline`;

	test("says the same as the trace, as JSON and as text, with the address of its page", async () => {
		await server.send([
			{ traceId: hex(1, 32), spanId: hex(1, 16), name: "run", status: { code: 2, message: "gave up" } },
			...[2, 3, 4].map((id) => ({ traceId: hex(1, 32), spanId: hex(id, 16), parentSpanId: hex(1, 16), name: "step" })),
		]);
		const { json } = await server.get(address);
		const { spans: _, ...trace } = (await server.get(`/v1/projects/default/traces/${hex(1, 32)}`)).json.data;
		expect(json.data).toMatchObject({
			...{ trace, span_count: 4, not_read: 0, left_out: { spans: 0, errors: 0 }, errors_left_out: 0 },
			errors: [{ span_id: hex(1, 16), name: "run", message: "gave up", count: 1 }],
			rows: [
				{ name: "run", is_error: true, critical: false, count: 1, latency_ms: 100 },
				{ name: "step", is_error: false, critical: true, count: 3, depth: 1, parent_id: hex(1, 16) },
			],
		});
		expect(json.data.link).toMatch(/^http:\/\/localhost(:80)?\/p\/[^/]+\/traces\/0{31}1$/);
		expect(json.text).toContain("! UNKNOWN run: gave up [0000000000000001]");
		const plain = await server.get(address, { accept: "text/plain" });
		expect(plain.headers["content-type"]).toBe("text/plain; charset=utf-8");
		expect(plain.text).toBe(json.text);
		for (const page of [new URL(json.data.link).pathname, `/p/default/traces/${hex(1, 32)}?span=${hex(2, 16)}`])
			expect((await server.get(page, { accept: "text/plain" })).text).toBe(json.text);
		const below = await server.get(`${address}?under=${hex(3, 16)}`);
		expect(below.json.data).toMatchObject({ span_count: 1, rows: [{ span_id: hex(3, 16), depth: 0 }] });
	});

	test("AG08 keeps within the size that was asked for, whatever the spans hold", async () => {
		const huge = "x".repeat(20_000);
		const spans = Array.from({ length: 300 }, (_, at) => ({
			...{ traceId: hex(1, 32), spanId: hex(at + 1, 16), name: `${at} ${huge}`, status: { code: 2, message: huge } },
			...{ attributes: { "input.value": text(huge), "session.id": text(huge.slice(0, 1_000)) } },
			...(at === 0 ? {} : { parentSpanId: hex(at, 16) }),
		}));
		await server.send(spans);
		for (const tokens of [500, 4_000]) {
			const { json } = await server.get(`${address}?max_tokens=${tokens}`);
			expect(Buffer.byteLength(json.text)).toBeLessThanOrEqual(tokens * 4);
			expect(Buffer.byteLength(JSON.stringify(json.data))).toBeLessThanOrEqual(tokens * 4);
			expect(json.data.rows.length + json.data.left_out.spans).toBe(300);
		}
	});

	test("refuses a size out of bounds, and a span that is not there", async () => {
		await server.send([{ traceId: hex(1, 32) }]);
		expect((await server.get(`${address}?max_tokens=499`)).status).toBe(422);
		expect((await server.get(`${address}?max_tokens=50001`)).status).toBe(422);
		expect(await server.get(`${address}?under=ffff`)).toMatchObject({ status: 404 });
	});
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { Semantic } from "./semantic-schema.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
const nanos = (seconds: number) => `${BigInt(T0 + seconds)}000000000`;
const spanIds = (answer: { json: { data: { context: { span_id: string } }[] } }) =>
	answer.json.data.map((span) => Number.parseInt(span.context.span_id, 16));

function manySpans(count: number) {
	return Array.from({ length: count }, (_, index) => ({
		traceId: hex(index + 1, 32),
		spanId: hex(index + 1, 16),
		name: `step ${index + 1}`,
		startTimeUnixNano: nanos(count - index),
		endTimeUnixNano: nanos(count + index),
	}));
}

describe("otlpv1", () => {
	test("gives back exactly what was sent", async () => {
		await server.send([
			{
				kind: 3,
				traceState: "a=b",
				flags: 257,
				startTimeUnixNano: "1700000000000000001",
				endTimeUnixNano: "1700000000100000999",
				droppedAttributesCount: 4,
				attributes: {
					int: { intValue: "9223372036854775807" },
					low: { intValue: "-9223372036854775808" },
					double: { doubleValue: 0.1 },
					nan: { doubleValue: "NaN" },
					infinite: { doubleValue: "-Infinity" },
					bytes: { bytesValue: "AAH/" },
					empty: {},
					list: { arrayValue: { values: [{ stringValue: "a" }, { intValue: 1 }, { boolValue: true }] } },
					map: { kvlistValue: { values: [{ key: "__proto__", value: { stringValue: "x" } }] } },
				},
				events: [
					{ name: "e", timeUnixNano: "1700000000050000007", attributes: [{ key: "k", value: { boolValue: false } }] },
				],
				links: [
					{ traceId: "2".repeat(32), spanId: "2".repeat(16), attributes: [{ key: "l", value: { intValue: "1" } }] },
				],
				status: { code: 2, message: "broken" },
			},
		]);
		const { text: body, json } = await server.get("/v1/projects/default/spans/otlpv1");
		for (const digits of [
			'"int_value":9223372036854775807',
			'"int_value":-9223372036854775808',
			'"start_time_unix_nano":1700000000000000001',
			'"end_time_unix_nano":1700000000100000999',
			'"time_unix_nano":1700000000050000007',
		]) {
			expect(body).toContain(digits);
		}
		const [span] = json.data;
		const value = (key: string) => span.attributes.find((attribute: { key: string }) => attribute.key === key).value;
		const only = (variant: object) => ({
			array_value: null,
			bool_value: null,
			bytes_value: null,
			double_value: null,
			int_value: null,
			kvlist_value: null,
			string_value: null,
			...variant,
		});
		expect(value("double")).toEqual(only({ double_value: 0.1 }));
		expect(value("nan")).toEqual(only({ double_value: "NaN" }));
		expect(value("infinite")).toEqual(only({ double_value: "-Infinity" }));
		expect(value("bytes")).toEqual(only({ bytes_value: "AAH/" }));
		expect(value("empty")).toEqual(only({}));
		expect(value("list").array_value.values).toEqual([
			only({ string_value: "a" }),
			only({ int_value: 1 }),
			only({ bool_value: true }),
		]);
		expect(value("map")).toEqual(
			only({ kvlist_value: { values: [{ key: "__proto__", value: only({ string_value: "x" }) }] } }),
		);
		expect(span).toMatchObject({
			kind: "SPAN_KIND_CLIENT",
			trace_state: "a=b",
			flags: 257,
			parent_span_id: null,
			dropped_attributes_count: 4,
			status: { code: 2, message: "broken" },
			events: [{ name: "e" }],
			links: [{ trace_id: "2".repeat(32), span_id: "2".repeat(16) }],
			scope: { name: "test" },
		});
	});
});

describe("the list", () => {
	test("is ordered by arrival, newest first, or by time, and pages without a gap", async () => {
		await server.send(manySpans(5));
		for (const [query, ids] of [
			["", [5, 4, 3, 2, 1]],
			["&order=asc", [1, 2, 3, 4, 5]],
			["&sort=start_time", [1, 2, 3, 4, 5]],
			["&sort=start_time&order=asc", [5, 4, 3, 2, 1]],
		] as const) {
			const url = `/v1/projects/default/spans?limit=2${query}`;
			const first = await server.get(url);
			const second = await server.get(`${url}&cursor=${encodeURIComponent(first.json.next_cursor)}`);
			const third = await server.get(`${url}&cursor=${encodeURIComponent(second.json.next_cursor)}`);
			expect([first, second, third].flatMap(spanIds)).toEqual(ids);
			expect(third.json.next_cursor).toBeNull();
		}
		expect(
			(
				await server.get(
					`/v1/projects/default/spans?cursor=${Buffer.from(`Span:${"9".repeat(40)}`).toString("base64")}`,
				)
			).status,
		).toBe(422);
	});

	test("refuses cursors of another sort", async () => {
		await server.send(manySpans(3));
		const sorts = ["id", "start_time", "latency_ms", "total_cost", "token_count_total"];
		for (const sort of sorts) {
			const { json } = await server.get(`/v1/projects/default/spans?limit=2&sort=${sort}`);
			for (const other of [...sorts, "score.a", "score.b"]) {
				const url = `/v1/projects/default/spans?sort=${other}&cursor=${encodeURIComponent(json.next_cursor)}`;
				expect([sort, other, (await server.get(url)).status]).toEqual([sort, other, sort === other ? 200 : 422]);
			}
		}
	});

	test("shows a span in the form that released clients read", async () => {
		await server.send([
			{
				attributes: {
					"openinference.span.kind": text("retriever"),
					metadata: text('{"team":"a"}'),
					"llm.input_messages.0.message.role": text("user"),
					n: { intValue: "9007199254740993" },
				},
				events: [
					{
						name: "exception",
						timeUnixNano: `${T0}050000000`,
						attributes: [{ key: "exception.type", value: text("E") }],
					},
				],
			},
		]);
		const { json, text: body } = await server.get("/v1/projects/default/spans");
		expect(json.data[0]).toMatchObject({
			name: "step",
			context: { trace_id: "1".repeat(32), span_id: "1".repeat(16) },
			span_kind: "retriever",
			parent_id: null,
			start_time: "2023-11-14T22:13:20+00:00",
			end_time: "2023-11-14T22:13:20.100000+00:00",
			status_code: "UNSET",
			status_message: "",
			attributes: { "metadata.team": "a", "llm.input_messages.0.message.role": "user" },
			events: [
				{ name: "exception", timestamp: "2023-11-14T22:13:20.050000+00:00", attributes: { "exception.type": "E" } },
			],
			latency_ms: 100,
		});
		expect(body).toContain('"n":9007199254740993');
		expect(json.data[0].attributes).not.toHaveProperty("openinference.span.kind");
		expect(json.data[0]).not.toHaveProperty("semantic");
	});

	test("derives OpenInference keys from other conventions, and shows what a span means", async () => {
		await server.send([
			{
				attributes: {
					"gen_ai.operation.name": text("chat"),
					"gen_ai.request.model": text("gpt-4o"),
					"gen_ai.usage.input_tokens": { intValue: 3 },
					"gen_ai.usage.output_tokens": { intValue: 4 },
				},
			},
		]);
		const { json } = await server.get("/v1/projects/default/spans?include=semantic");
		expect(json.data[0]).toMatchObject({
			span_kind: "LLM",
			model: "gpt-4o",
			token_count_prompt: 3,
			cumulative_token_count_total: 7,
			attributes: { "gen_ai.request.model": "gpt-4o", "llm.model_name": "gpt-4o", "llm.token_count.completion": 4 },
			semantic: {
				kind: "LLM",
				model: "gpt-4o",
				tokens: { prompt: 3, completion: 4, total: 7 },
				cost: { source: "table" },
			},
		});
		expect(json.data[0].total_cost).toBeGreaterThan(0);
		const summary = await server.get("/v1/projects/default/spans?view=summary");
		expect(summary.json.data[0]).toMatchObject({ span_kind: "LLM", attributes: {}, events: [], model: "gpt-4o" });
	});

	test("filters", async () => {
		const [one, two, three] = manySpans(3);
		await server.send([
			{
				...one,
				attributes: {
					"openinference.span.kind": text("LLM"),
					"llm.model_name": text("m"),
					"user.id": text("u"),
					n: { intValue: 1 },
					"a.b": text("x:y"),
				},
			},
			{
				...two,
				parentSpanId: hex(9, 16),
				status: { code: 2 },
				attributes: { "session.id": text("s"), flag: { boolValue: true }, numeric: text("123") },
			},
			{ ...three, status: { code: 1 }, attributes: { note: text("a needle in hay") } },
		]);
		const ids = async (query: string) => spanIds(await server.get(`/v1/projects/default/spans?order=asc&${query}`));
		expect(await ids(`trace_id=${hex(1, 32)}&trace_id=${hex(2, 32)}`)).toEqual([1, 2]);
		expect(await ids(`span_id=${hex(3, 16)}`)).toEqual([3]);
		expect(await ids("parent_id=null")).toEqual([1, 3]);
		expect(await ids(`parent_id=${hex(9, 16)}`)).toEqual([2]);
		expect(await ids("name=step%201&name=step%203")).toEqual([1, 3]);
		expect(await ids("span_kind=llm")).toEqual([1]);
		expect(await ids("status_code=error&status_code=ok")).toEqual([2, 3]);
		expect(await ids("error=true")).toEqual([2]);
		expect(await ids("start_time=2023-11-14T22:13:22Z")).toEqual([1, 2]);
		expect(await ids("end_time=2023-11-14T22:13:22Z")).toEqual([3]);
		expect(await ids("user_id=u")).toEqual([1]);
		expect(await ids("session_id=s")).toEqual([2]);
		expect(await ids("model=m")).toEqual([1]);
		expect(await ids("min_latency_ms=2000")).toEqual([2, 3]);
		expect(await ids("q=NEEDLE%20hay")).toEqual([3]);
		expect(await ids("attribute=n:1")).toEqual([1]);
		expect(await ids("attribute=a.b:x:y&attribute=n:1")).toEqual([1]);
		expect(await ids("attribute=flag:true")).toEqual([2]);
		expect(await ids('attribute=numeric:"123"')).toEqual([2]);
		expect(await ids("attribute=numeric:123")).toEqual([]);
	});

	test.each([
		["span_kind=FOO", "Invalid span_kind values: ['FOO']"],
		["status_code=MAYBE", "Invalid status_code values: ['MAYBE']"],
		["attribute=novalue", "Invalid attribute filter 'novalue'"],
		["attribute=a:null", "Invalid attribute filter 'a:null'"],
		["attribute=a:[1]", "Invalid attribute filter 'a:[1]'"],
		["attribute=:x", "Invalid attribute filter ':x'"],
	])("%s is refused", async (query, message) => {
		await server.send([{}]);
		const answer = await server.get(`/v1/projects/default/spans?${query}`);
		expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(message)]);
	});
});

describe("one span", () => {
	test("shows everything that was sent and what it means", async () => {
		await server.send([
			{ attributes: { "input.value": text("hi") }, links: [{ traceId: "2".repeat(32), spanId: "2".repeat(16) }] },
			{ spanId: "2".repeat(16), parentSpanId: "1".repeat(16), status: { code: 2 } },
		]);
		const { status, json } = await server.get(`/v1/projects/default/traces/${"1".repeat(32)}/spans/${"1".repeat(16)}`);
		expect(status).toBe(200);
		expect(json.data).toMatchObject({
			attributes: { "input.value": "hi" },
			semantic: { input_text: "hi" },
			cumulative_error_count: 1,
			scope: { name: "test" },
			resource: { attributes: {} },
			links: [{ trace_id: "2".repeat(32) }],
			log_events: [],
			otlp: { trace_id: "1".repeat(32), name: "step" },
		});
		expect((await server.get(`/v1/projects/default/traces/${"1".repeat(32)}/spans/${"3".repeat(16)}`)).status).toBe(
			404,
		);
	});

	test("is deleted by hex id or global id; its children stay", async () => {
		await server.send([{}, { spanId: "2".repeat(16), parentSpanId: "1".repeat(16) }]);
		expect((await server.call("DELETE", `/v1/spans/${"1".repeat(16)}`)).status).toBe(204);
		const { json } = await server.get("/v1/projects/default/spans");
		expect(json.data).toMatchObject([{ parent_id: "1".repeat(16) }]);
		expect((await server.call("DELETE", `/v1/spans/${json.data[0].id}`)).status).toBe(204);
		expect((await server.get("/v1/projects/default/traces")).json.data).toEqual([]);
		expect((await server.call("DELETE", `/v1/spans/${"1".repeat(16)}`)).status).toBe(404);
	});

	test("answers an id in two projects with 409", async () => {
		await server.send([{}], "a");
		await server.send([{}], "b");
		expect((await server.call("DELETE", `/v1/spans/${"1".repeat(16)}`)).status).toBe(409);
		expect((await server.call("DELETE", `/v1/spans/${"1".repeat(16)}?project=b`)).status).toBe(204);
	});
});

describe("POST spans", () => {
	const span = (number: number, extra: object = {}) => ({
		id: "ignored",
		name: "made",
		context: { trace_id: hex(7, 32), span_id: hex(number, 16) },
		span_kind: "tool",
		start_time: "2023-11-14T22:13:20.123456789+00:00",
		end_time: "2023-11-14T22:13:21Z",
		status_code: "ok",
		...extra,
	});

	test("stores flat and nested attributes before it answers", async () => {
		const attributes = {
			"input.value": "x",
			llm: { model_name: "m", token_count: { prompt: 1 } },
			metadata: { team: "a" },
			tags: ["a", "b"],
			none: null,
			big: 1,
		};
		const body = JSON.stringify({
			data: [span(1, { attributes, events: [{ name: "e", timestamp: "2023-11-14T22:13:20Z" }] })],
		});
		const response = await server.app.inject({
			method: "POST",
			url: "/v1/projects/made/spans",
			headers: { "content-type": "application/json" },
			payload: body.replace('"big":1', '"big":9007199254740993,"__proto__":{"x":1}'),
		});
		expect([response.statusCode, response.json()]).toEqual([202, { total_received: 1, total_queued: 1 }]);
		const { json, text: answer } = await server.get("/v1/projects/made/spans");
		expect(json.data[0]).toMatchObject({
			name: "made",
			span_kind: "tool",
			status_code: "OK",
			start_time: "2023-11-14T22:13:20.123456+00:00",
			attributes: {
				"input.value": "x",
				"llm.model_name": "m",
				"llm.token_count.prompt": 1,
				"metadata.team": "a",
				tags: ["a", "b"],
			},
			events: [{ name: "e" }],
		});
		expect(answer).toContain('"big":9007199254740993');
		expect(answer).toContain('"__proto__.x":1');
		expect((await server.get("/v1/projects/made/spans/otlpv1")).text).toContain(
			'"start_time_unix_nano":1700000000123456789',
		);
		expect((await server.get("/v1/projects/made/spans?span_kind=TOOL")).json.data).toHaveLength(1);
	});

	test("stores many spans in their order, each with what is its own", async () => {
		const data = Array.from({ length: 250 }, (_, index) => span(index + 1, { name: `step ${index + 1}` }));
		expect((await server.call("POST", "/v1/projects/made/spans", { data })).status).toBe(202);
		const { json } = await server.get("/v1/projects/made/spans?limit=1000");
		const names = json.data.map(({ name, context }: { name: string; context: { span_id: string } }) => [
			name,
			Number.parseInt(context.span_id, 16),
		]);
		expect(names.reverse()).toEqual(data.map(({ name }, index) => [name, index + 1]));
	});

	test("refuses a request with duplicates, of stored spans or within it, as a whole", async () => {
		await server.call("POST", "/v1/projects/made/spans", { data: [span(1)] });
		const { status, headers, json } = await server.call("POST", "/v1/projects/made/spans", {
			data: [span(1), span(2), span(3), span(3)],
		});
		expect([status, headers["content-type"]]).toEqual([400, "application/json; charset=utf-8"]);
		expect(json).toEqual({
			error: "Request contains invalid or duplicate spans",
			total_received: 4,
			total_queued: 0,
			total_duplicates: 2,
			total_invalid: 0,
			duplicate_spans: expect.arrayContaining([
				{ span_id: hex(1, 16), trace_id: hex(7, 32) },
				{ span_id: hex(3, 16), trace_id: hex(7, 32) },
			]),
			invalid_spans: [],
		});
		expect((await server.get("/v1/projects/made/spans")).json.data).toHaveLength(1);
	});

	test.each(["n".repeat(256), "a\u0000b"])(
		"does not create a project with a name that POST projects refuses",
		async (name) => {
			const url = `/v1/projects/${encodeURIComponent(name)}/spans`;
			const { status, json } = await server.call("POST", url, { data: [span(1)] });
			expect(status).toBe(422);
			expect(json.detail[0].loc).toEqual(["path", "project_identifier"]);
		},
	);

	test("names spans with invalid ids", async () => {
		const bad = { ...span(1), context: { trace_id: "x".repeat(256), span_id: hex(1, 16) } };
		const { status, json } = await server.call("POST", "/v1/projects/made/spans", { data: [bad, span(2)] });
		expect(status).toBe(400);
		expect(json).toMatchObject({ total_invalid: 1, invalid_spans: [{ trace_id: "x".repeat(256) }] });
	});

	test.each([
		[{ start_time: "2023-11-14T22:13:20" }, "timezone_aware"],
		[{ start_time: "soon" }, "datetime_from_date_parsing"],
		[{ end_time: "1950-01-01T00:00:00Z" }, "datetime_out_of_range"],
		[{ name: undefined }, "missing"],
		[{ attributes: [1] }, "dict_type"],
	])("%j is %s", async (extra, type) => {
		const { status, json } = await server.call("POST", "/v1/projects/made/spans", { data: [span(1), span(2, extra)] });
		expect(status).toBe(422);
		expect(json.detail[0]).toMatchObject({ type, loc: ["body", "data", 1, ...Object.keys(extra)] });
	});

	test("names the first of 100,000 faults in one span", async () => {
		const events = Array.from({ length: 100_000 }, () => ({}));
		const { status, json } = await server.call("POST", "/v1/projects/made/spans", { data: [span(1, { events })] });
		expect([status, json.detail.length]).toEqual([422, 100]);
		expect(json.detail[0]).toMatchObject({ type: "missing", loc: ["body", "data", 0, "events", 0, "name"] });
	});

	test("attributes that nest too deeply are refused", async () => {
		const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
		const response = await server.app.inject({
			method: "POST",
			url: "/v1/projects/made/spans",
			headers: { "content-type": "application/json" },
			payload: JSON.stringify({ data: [span(1)] }).replace('"id"', `"attributes":${deep},"id"`),
		});
		expect(response.statusCode).toBe(422);
	});

	test("an unknown project id is not found", async () => {
		const id = Buffer.from("Project:4711").toString("base64");
		expect((await server.call("POST", `/v1/projects/${id}/spans`, { data: [span(1)] })).status).toBe(404);
	});
});

describe("the export", () => {
	test("streams all matching spans, one per line", async () => {
		await server.send(manySpans(250));
		const lines = (await server.get("/v1/projects/default/spans.ndjson?include=semantic")).json;
		expect(lines).toHaveLength(250);
		expect(lines[0]).toMatchObject({ name: "step 1", semantic: {} });
		expect(lines[249].name).toBe("step 250");
		expect((await server.get("/v1/projects/default/spans.ndjson?limit=3&order=desc")).json).toHaveLength(3);
		expect((await server.get("/v1/projects/default/spans.ndjson?name=step%207&format=otlp")).json.span_id).toBe(
			hex(7, 16),
		);
		expect((await server.get("/v1/projects/default/spans.ndjson?name=none")).text).toBe("");
		expect((await server.get("/v1/projects/default/spans.ndjson?span_kind=FOO")).status).toBe(422);
	});
});

test("the meaning of every recorded source fits its schema", async () => {
	const sources = [
		"js-ai-sdk6-proto",
		"py-openai-openinference",
		"py-openai-otel-v2",
		"py-langfuse",
		"py-traceloop",
		"py-mlflow",
	];
	for (const source of sources) await server.replay(source, source);
	for (const source of sources) {
		const { json } = await server.get(`/v1/projects/${source}/spans?include=semantic&limit=1000`);
		expect(json.data.length).toBeGreaterThan(0);
		for (const { semantic } of json.data) expect(Semantic.strict().safeParse(semantic).error).toBeUndefined();
	}
});

import { tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";

let server: TestApp;

beforeAll(async () => {
	server = await openTestApp();
});
beforeEach(async () => {
	await server.clear();
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
});

type Cells = Record<string, unknown>;

interface JsonTable {
	readonly data: readonly Cells[];
	readonly schema: {
		readonly fields: readonly { readonly name: string; readonly type: string; readonly tz?: string }[];
		readonly primaryKey: readonly string[];
	};
}

async function query(body: object, { project = "default", accept = "application/json" } = {}) {
	const response = await server.app.inject({
		method: "POST",
		url: `/v1/spans?project_name=${project}`,
		headers: { accept },
		payload: body,
	});
	const boundary = /boundary=(\w+)/.exec(String(response.headers["content-type"]))?.[1];
	const parts = response.body.split(`--${boundary}`).filter((part) => part.includes("Content-Type: application/json"));
	return {
		status: response.statusCode,
		type: response.headers["content-type"],
		text: response.body,
		bytes: response.rawPayload,
		tables: parts.map((part) => JSON.parse(part.split("\r\n\r\n")[1] ?? "") as JsonTable),
	};
}

/** The rows of the first table, with the position prefixes removed from the names. */
async function rows(table: object, body: object = {}): Promise<Cells[]> {
	const { tables } = await query({ queries: [table], ...body });
	return (tables[0]?.data ?? []).map((row) =>
		Object.fromEntries(Object.entries(row).map(([name, value]) => [name.slice(name.indexOf("_") + 1), value])),
	);
}

async function sendRetriever(): Promise<void> {
	await server.send([
		{
			spanId: hex(1),
			name: "retriever",
			attributes: {
				"openinference.span.kind": text("RETRIEVER"),
				"input.value": text("question"),
				"retrieval.documents.0.document.content": text("first"),
				"retrieval.documents.0.document.score": { doubleValue: 0.5 },
				"retrieval.documents.0.document.metadata": text('{"source":{"page":1}}'),
				"retrieval.documents.1.document.content": text("second"),
				words: { arrayValue: { values: [text("a"), text("b")] } },
			},
		},
		{ spanId: hex(2), name: "other", startTimeUnixNano: nanos(1) },
	]);
}

test("answers a table in the form that pandas reads", async () => {
	await server.send([
		{
			startTimeUnixNano: `${T0}000000001`,
			attributes: {
				"llm.token_count.prompt": { intValue: 3 },
				"llm.input_messages.0.message.role": text("user"),
				"app.x": text("1"),
			},
		},
	]);
	const { tables } = await query({
		queries: [{ filter: { condition: "" }, index: { key: "context.span_id" } }],
		root_spans_only: null,
	});
	const [table] = tables;
	expect(table?.schema.primaryKey).toEqual(["0_context.span_id"]);
	expect(table?.schema.fields.slice(0, 5)).toEqual([
		{ name: "0_context.span_id", type: "string" },
		{ name: "1_name", type: "string" },
		{ name: "2_span_kind", type: "string" },
		{ name: "3_parent_id", type: "string" },
		{ name: "4_start_time", type: "datetime", tz: "UTC" },
	]);
	expect((await rows({}))[0]).toMatchObject({
		"context.span_id": "1".repeat(16),
		start_time: "2023-11-14T22:13:20.000000001Z",
		"attributes.llm.token_count.prompt": 3,
		"attributes.llm.input_messages": [{ "message.role": "user" }],
		"attributes.app": { x: "1" },
	});
});

test("selects fields and attributes, only roots and orphans, and the newest spans", async () => {
	await server.send([
		{ spanId: hex(1) },
		{ spanId: hex(2), parentSpanId: hex(1), startTimeUnixNano: nanos(1) },
		{
			spanId: hex(3),
			parentSpanId: hex(9),
			startTimeUnixNano: nanos(2),
			attributes: { "input.value": text("in"), metadata: text('{"team":{"name":"a"}}') },
		},
	]);
	const select = {
		id: { key: "context.span_id" },
		input: { key: "input.value" },
		took: { key: "latency_ms" },
		team: { key: "metadata['team'][\"name\"]" },
		below: { key: "cumulative_llm_token_count_prompt" },
	};
	const ids = async (body: object) => (await rows({ select }, body)).map(({ id }) => id);
	expect(await ids({})).toEqual([hex(3), hex(2), hex(1)]);
	expect(await ids({ root_spans_only: true })).toEqual([hex(3), hex(1)]);
	expect(await ids({ root_spans_only: true, limit: 1 })).toEqual([hex(3)]);
	expect(await ids({ root_spans_only: true, orphan_span_as_root_span: false })).toEqual([hex(1)]);
	expect(await ids({ limit: 1 })).toEqual([hex(3)]);
	expect(await ids({ start_time: "2023-11-14T22:13:22Z" })).toEqual([hex(3)]);
	expect(await ids({ end_time: "2023-11-14T22:13:21Z" })).toEqual([hex(1)]);
	expect((await rows({ select }))[0]).toMatchObject({ input: "in", took: -1_900, team: "a", below: 0 });
});

test("a selected index does not become a column, and a column may be renamed", async () => {
	await server.send([{ attributes: { "input.value": text("in") } }]);
	const { tables } = await query({
		queries: [
			{
				select: { "context.trace_id": { key: "context.trace_id" }, "input.value": { key: "input.value" } },
				rename: { "input.value": "input" },
				index: { key: "context.trace_id" },
			},
		],
	});
	expect(tables[0]?.data).toEqual([{ "0_context.trace_id": "1".repeat(32), "1_input": "in" }]);
});

test("a list explodes into a row for each item", async () => {
	await sendRetriever();
	const explode = {
		key: "retrieval.documents",
		kwargs: { document: "document.content", score: "document.score", page: "document.metadata.source.page" },
		primary_index_key: "context.span_id",
	};
	const index = (position: number) => ({ "context.span_id": hex(1), document_position: position });
	expect(await rows({ explode, select: { "input.value": { key: "input.value" } } })).toEqual([
		{ ...index(0), "input.value": "question", document: "first", score: 0.5, page: 1 },
		{ ...index(1), "input.value": "question", document: "second", score: null, page: null },
	]);
	expect(await rows({ explode: { key: "retrieval.documents" } })).toEqual([
		{
			...index(0),
			"document.content": "first",
			"document.score": 0.5,
			"document.metadata": { source: { page: 1 } },
		},
		{ ...index(1), "document.content": "second", "document.score": null, "document.metadata": null },
	]);
	expect(await rows({ explode: { key: "words" } })).toEqual([
		{ "context.span_id": hex(1), position: 0, words: "a" },
		{ "context.span_id": hex(1), position: 1, words: "b" },
	]);
	expect(await rows({ explode: { key: "input.value" } })).toEqual([]);
});

test("a list is joined into one text", async () => {
	await sendRetriever();
	const concat = { key: "retrieval.documents", kwargs: { context: "document.content", scores: "document.score" } };
	expect(await rows({ concat, index: { key: "context.trace_id" } })).toEqual([
		{ "context.trace_id": "1".repeat(32), context: "first\n\nsecond", scores: "0.5" },
	]);
	expect(await rows({ concat: { ...concat, separator: "|" } })).toMatchObject([{ context: "first|second" }]);
});

test("a condition selects the spans; one that cannot be parsed is refused before anything is sent", async () => {
	await sendRetriever();
	const where = (condition: string) => rows({ filter: { condition }, select: { name: { key: "name" } } });
	expect(await where("span_kind == 'RETRIEVER'")).toMatchObject([{ name: "retriever" }]);
	expect(await where("name == 'other'")).toMatchObject([{ name: "other" }]);
	const refused = await query({ queries: [{ filter: { condition: "name ==" } }] });
	expect([refused.status, refused.text]).toEqual([422, expect.stringMatching(/^Invalid query: /)]);
});

test("each query is answered with a table; an unknown project has empty ones", async () => {
	await sendRetriever();
	const queries = [{ select: { name: { key: "name" } } }, { explode: { key: "words" } }];
	expect((await query({ queries })).tables.map(({ data }) => data.length)).toEqual([2, 2]);
	expect((await query({ queries }, { project: "nobody" })).tables.map(({ data }) => data)).toEqual([[], []]);
	expect((await query({ queries: [] })).status).toBe(404);
});

test("the type of a column is derived from all rows", async () => {
	await server.send(
		[
			{ whole: { intValue: 1 }, always: { boolValue: true }, sometimes: { boolValue: true }, mixed: { intValue: 1 } },
			{ whole: { intValue: 2 }, always: { boolValue: false }, mixed: text("x"), half: { doubleValue: 0.5 } },
		].map((attributes, at) => ({ spanId: hex(at + 1), attributes })),
	);
	const { tables } = await query({ queries: [{}] });
	const types = new Map(tables[0]?.schema.fields.map(({ name, type }) => [name.slice(name.indexOf("_") + 1), type]));
	expect(types.get("attributes.whole")).toBe("integer");
	expect(types.get("attributes.always")).toBe("boolean");
	expect(types.get("attributes.sometimes")).toBe("string");
	expect(types.get("attributes.mixed")).toBe("string");
	expect(types.get("attributes.half")).toBe("number");
});

test("a large table has a row for every span, and columns that first appear late", async () => {
	const spans = Array.from({ length: 1_300 }, (_, at) => ({
		spanId: hex(at + 1),
		startTimeUnixNano: nanos(at),
		attributes: at === 0 ? { oldest: text("yes") } : {},
	}));
	await server.send(spans);
	const { tables } = await query({ queries: [{}], limit: 5_000 });
	const [table] = tables;
	expect(new Set(table?.data.map((row) => row["0_context.span_id"])).size).toBe(1_300);
	const { name: last = "" } = table?.schema.fields.at(-1) ?? {};
	expect(last).toMatch(/_attributes\.oldest$/);
	expect(table?.data.at(-1)?.[last]).toBe("yes");
	expect(table?.data.some((row, at) => at < 1_299 && last in row)).toBe(false);
});

test("the number of columns is bounded: further keys are merged into one column", async () => {
	const keys = Array.from({ length: 600 }, (_, at) => `key${String(at).padStart(3, "0")}`);
	await server.send(
		[keys.slice(0, 100), ...[1, 2, 3, 4, 5].map((part) => keys.slice(part * 100, part * 100 + 100))].map(
			(some, at) => ({
				spanId: hex(at + 1),
				attributes: Object.fromEntries(some.map((key) => [key, text(key)])),
			}),
		),
	);
	const found = await rows({});
	const seen = found.flatMap((row) => [...Object.values(row), ...Object.values((row["other_columns"] ?? {}) as Cells)]);
	expect(keys.filter((key) => !seen.includes(key))).toEqual([]);
	expect(Object.keys(found[0] ?? {}).length).toBeLessThan(510);
});

test("without JSON in Accept each table is an Arrow stream", async () => {
	await sendRetriever();
	const { type, bytes } = await query({ queries: [{}] }, { accept: "*/*" });
	expect(type).toBe("application/x-pandas-arrow");
	const table = tableFromIPC(bytes);
	expect(table.numRows).toBe(2);
	expect(JSON.parse(table.schema.metadata.get("pandas") ?? "")).toMatchObject({ index_columns: ["__index_level_0__"] });
	const retriever = table.toArray()[1];
	expect(retriever["context.span_id"]).toBe(hex(1));
	expect(retriever["attributes.input.value"]).toBe("question");
	expect(JSON.parse(retriever["attributes.retrieval.documents"])[1]).toEqual({ "document.content": "second" });
	expect(retriever.start_time).toBe(T0 * 1_000);
});

test("a data frame by GET has the selected columns of the matching spans", async () => {
	await sendRetriever();
	const read = async (parameters: string) => {
		const response = await server.app.inject(`/v1/projects/default/spans.arrow?${parameters}`);
		expect(response.headers["content-type"]).toBe("application/vnd.apache.arrow.stream");
		return tableFromIPC(response.rawPayload);
	};
	const table = await read("select=name&select=words&name=retriever");
	expect(table.schema.fields.map(({ name }) => name)).toEqual(["__index_level_0__", "name", "words"]);
	expect(table.toArray().map((row) => [row.name, row.words])).toEqual([["retriever", '["a","b"]']]);
	expect((await read("limit=1")).numRows).toBe(1);
	expect((await read("name=nothing")).numRows).toBe(0);
	expect((await server.get("/v1/projects/nobody/spans.arrow")).status).toBe(404);
	expect((await server.get("/v1/projects/default/spans.arrow?filter=name%20%3D%3D")).status).toBe(400);
});

function hex(number: number): string {
	return number.toString(16).padStart(16, "0");
}

function nanos(seconds: number): string {
	return `${T0 + seconds}000000000`;
}

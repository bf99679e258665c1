import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { forgetSentIds, storedSpanId, storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { WaitingAnnotations } from "../annotations/waiting.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(async () => {
	await server.context.db.write((transaction) => transaction.deleteFrom("waiting_annotations").execute());
	await server.clear();
});
afterAll(() => server[Symbol.asyncDispose]());

const TRACE = "order 4711/ä";
const ROOT = "3f2b8c1e-9d57-4c0a-8f1b-2f4d6a7c9e01";
const CHILD = 'Child\'s "span"';
const P = "/v1/projects/default";
const path = encodeURIComponent;

function span(span_id: string, rest: object = {}) {
	const times = { start_time: "2024-01-01T00:00:00Z", end_time: "2024-01-01T00:00:01Z" };
	const context = { trace_id: TRACE, span_id };
	return {
		name: "s",
		context,
		span_kind: "LLM",
		status_code: "OK",
		attributes: { "session.id": "s" },
		...times,
		...rest,
	};
}

async function send(spans: readonly unknown[], project = "default") {
	return await server.call("POST", `/v1/projects/${project}/spans`, { data: spans });
}

async function sendBoth() {
	const { status, text } = await send([span(ROOT), span(CHILD, { parent_id: ROOT })]);
	expect(status, text).toBe(202);
}

async function get(url: string) {
	const { status, json, text } = await server.get(url);
	expect(status, text).toBe(200);
	return json;
}

const filtered = (list: string, filter: string) => get(`${P}/${list}?filter=${path(filter)}`);
const own = (item: { context: { trace_id: string; span_id: string }; parent_id: string | null }) => [
	item.context.trace_id,
	item.context.span_id,
	item.parent_id,
];
const BOTH = [
	[TRACE, ROOT, null],
	[TRACE, CHILD, ROOT],
];

test("ids that are not OpenTelemetry's are answered as they were sent", async () => {
	await sendBoth();
	for (const view of ["full", "summary"]) {
		expect((await get(`${P}/spans?order=asc&view=${view}`)).data.map(own)).toEqual(BOTH);
	}
	const otlp = (await get(`${P}/spans/otlpv1`)).data;
	expect(otlp[0]).toMatchObject({ trace_id: TRACE, span_id: CHILD, parent_span_id: ROOT });
	const lines = (await server.get(`${P}/spans.ndjson?order=asc`)).text.trimEnd().split("\n");
	expect(lines.map((line) => own(JSON.parse(line)))).toEqual(BOTH);
	const table = await server.call(
		"POST",
		"/v1/spans?project_name=default",
		{ queries: [{}], root_spans_only: true },
		{ accept: "application/json" },
	);
	expect(table.text).toContain(ROOT);
	expect(table.text).not.toContain("Child");
	const [trace] = (await get(`${P}/traces?include_spans=true`)).data;
	expect(trace).toMatchObject({ trace_id: TRACE, root_span_id: ROOT, span_count: 2 });
	expect(
		trace.spans.map((item: { span_id: string; parent_id: string | null }) => [item.span_id, item.parent_id]),
	).toEqual([
		[ROOT, null],
		[CHILD, ROOT],
	]);
	const [session] = (await get(`${P}/sessions?include_traces=true`)).data;
	expect(session.traces).toMatchObject([{ trace_id: TRACE }]);
	const detail = (await get(`${P}/traces/${path(TRACE)}?cumulative=true`)).data;
	expect(detail.spans).toMatchObject([
		{ trace_id: TRACE, span_id: ROOT },
		{ span_id: CHILD, parent_id: ROOT },
	]);
	const one = (await get(`${P}/traces/${path(TRACE)}/spans/${path(CHILD)}`)).data;
	expect([own(one), one.otlp.parent_span_id]).toEqual([BOTH[1], ROOT]);
});

test.each([
	["spans", `span_id == '${ROOT}'`, 1],
	["spans", `span_id in ['${ROOT}', "Child's \\"span\\"", 'none']`, 2],
	["spans", `parent_id == '${ROOT}' and trace_id == '${TRACE}'`, 1],
	["spans", `span_id != '${ROOT}'`, 1],
	["spans", `span_id == '${ROOT.toUpperCase()}'`, 0],
	["traces", `trace_id == '${TRACE}'`, 1],
	["traces", `any(x.parent_id == '${ROOT}' for x in spans)`, 1],
	["traces", `len([x for x in spans if x.span_id == '${ROOT}']) == 1`, 1],
	["sessions", `any(t.trace_id == '${TRACE}' for t in traces)`, 1],
])("%s are filtered by the text that was sent: %s", async (list, filter, count) => {
	await sendBoth();
	expect((await filtered(list, filter)).data).toHaveLength(count);
});

test("parameters of lists accept the text", async () => {
	await sendBoth();
	const spans = async (query: string) => (await get(`${P}/spans?${query}`)).data.map((item: never) => own(item)[1]);
	expect(await spans(`span_id=${path(ROOT)}`)).toEqual([ROOT]);
	expect(await spans(`parent_id=${path(ROOT)}`)).toEqual([CHILD]);
	expect(await spans(`trace_id=${path(TRACE)}&order=asc`)).toEqual([ROOT, CHILD]);
	expect(await spans(`trace_id=${path(TRACE.toUpperCase())}`)).toEqual([]);
});

test("sent again they are refused as duplicates, under the text", async () => {
	await sendBoth();
	const again = await send([span(ROOT), span("new")]);
	expect(again.status).toBe(400);
	expect(JSON.parse(again.text)).toMatchObject({
		total_duplicates: 1,
		duplicate_spans: [{ trace_id: TRACE, span_id: ROOT }],
	});
	expect((await send([span("twice"), span("twice")])).status).toBe(400);
});

test("spans that arrive one by one find their parent and their trace", async () => {
	await send([span(CHILD, { parent_id: ROOT })]);
	await send([span(ROOT)]);
	const [trace] = (await get(`${P}/traces`)).data;
	expect(trace).toMatchObject({ trace_id: TRACE, root_span_id: ROOT, span_count: 2 });
	expect((await filtered("spans", "parent_span is None")).data.map(own)).toEqual([BOTH[0]]);
});

test("they are annotated by the text, before and after they arrive", async () => {
	const work = new WaitingAnnotations(server.context);
	try {
		const rest = { name: "n", annotator_kind: "LLM" };
		const late = await server.call("POST", "/v1/span_annotations", { data: [{ ...rest, span_id: CHILD }] });
		expect(late.status).toBe(200);
		expect((await get("/v1/waiting_annotations")).data).toMatchObject([{ target_id: CHILD }]);
		await sendBoth();
		await expect.poll(async () => (await get("/v1/waiting_annotations")).data).toEqual([]);
		const onTrace = { data: [{ ...rest, trace_id: TRACE }] };
		expect((await server.call("POST", "/v1/trace_annotations?sync=true", onTrace)).status).toBe(200);
		const note = { data: { span_id: ROOT, note: "look" } };
		expect((await server.call("POST", "/v1/span_notes", note)).status).toBe(200);
		const onDocument = { data: [{ ...rest, span_id: ROOT, document_position: 0 }] };
		expect((await server.call("POST", "/v1/document_annotations?sync=true", onDocument)).status).toBe(200);
	} finally {
		await work[Symbol.asyncDispose]();
	}
	const ofSpans = (await get(`${P}/span_annotations?span_ids=${path(CHILD)}&span_ids=${path(ROOT)}&limit=10`)).data;
	expect(ofSpans.map((item: { span_id: string }) => item.span_id).sort()).toEqual([ROOT, CHILD]);
	expect((await get(`${P}/trace_annotations?trace_ids=${path(TRACE)}`)).data).toMatchObject([{ trace_id: TRACE }]);
	expect((await get(`${P}/document_annotations?span_ids=${path(ROOT)}`)).data).toMatchObject([{ span_id: ROOT }]);
	expect((await get(`/v1/annotations/${ofSpans[0].id}`)).data.span_id).toBe(ofSpans[0].span_id);
	const missing = await server.call("POST", "/v1/span_annotations?sync=true", {
		data: [{ name: "n", annotator_kind: "LLM", span_id: "none" }],
	});
	expect([missing.status, missing.text]).toEqual([404, "Spans with IDs none do not exist."]);
});

test("examples of datasets are made from them and linked to them", async () => {
	await sendBoth();
	const body = { name: "linked", inputs: [{ a: 1 }], outputs: [{}], span_ids: [CHILD] };
	const { data } = (await server.call("POST", "/v1/datasets/upload?sync=true", body)).json;
	const dataset = `/v1/datasets/${data.dataset_id}`;
	const added = await server.call("POST", `${dataset}/examples/from_spans`, { span_ids: [ROOT] });
	expect(added.status, added.text).toBe(200);
	const { rows } = await linkedIds();
	expect(rows).toEqual([
		[TRACE, CHILD],
		[TRACE, ROOT],
	]);
});

async function linkedIds() {
	const found = await server.context.db.read
		.selectFrom("dataset_examples")
		.select(["trace_id", "span_id"])
		.orderBy("id")
		.execute();
	return { rows: found.map((row) => [row.trace_id, row.span_id]) };
}

test("they are deleted and moved by the text", async () => {
	await sendBoth();
	await server.call("POST", "/v1/projects", { name: "elsewhere" });
	const moved = await server.call("POST", "/v1/traces/transfer", {
		trace_identifiers: [TRACE],
		destination_project_identifier: "elsewhere",
	});
	expect([moved.status, moved.json?.data.transferred_trace_count]).toEqual([200, 1]);
	expect((await get("/v1/projects/elsewhere/traces")).data).toMatchObject([{ trace_id: TRACE, root_span_id: ROOT }]);
	expect((await server.call("DELETE", `/v1/spans/${path(CHILD)}`)).status).toBe(204);
	expect((await server.call("DELETE", `/v1/spans/${path(CHILD)}`)).status).toBe(404);
	expect((await server.call("DELETE", `/v1/traces/${path(TRACE)}`)).status).toBe(204);
	expect((await get("/v1/projects/elsewhere/spans")).data).toEqual([]);
});

test("the texts are deleted after their trace, and stay while it exists", async () => {
	await sendBoth();
	const count = async () => (await sentTexts()).length;
	const later = server.context.now() + 1_000_000;
	await send([span("other", { context: { trace_id: "other trace", span_id: "other" } })]);
	await forget(later);
	const kept = await count();
	expect((await server.call("DELETE", `/v1/traces/${path(TRACE)}`)).status).toBe(204);
	await forget(0);
	expect(await count()).toBe(kept);
	await forget(later);
	const left = await sentTexts();
	expect(left).toEqual(expect.arrayContaining(["other trace", "other"]));
	expect(left).not.toContain(ROOT);
});

test("the texts of a trace that is sent again after it was deleted stay", async () => {
	await sendBoth();
	expect((await server.call("DELETE", `/v1/traces/${path(TRACE)}`)).status).toBe(204);
	const { db, now, sentIds } = server.context;
	await db.write((transaction) => transaction.updateTable("sent_ids").set({ created_at: 0 }).execute());
	const [traceId, id] = [storedTraceId(TRACE), storedSpanId(ROOT)];
	// As a request does whose spans are not stored yet.
	await sentIds.remember([{ traceId, id, text: ROOT }], now());
	await forget(now() - 1_000_000);
	expect(await sentTexts()).toEqual([ROOT]);
});

async function forget(before: number) {
	const { db, traces } = server.context;
	let after: string | undefined = "";
	while (after !== undefined) after = await forgetSentIds(db, traces, { before, after, limit: 1 });
}

async function sentTexts() {
	const rows = await server.context.db.read.selectFrom("sent_ids").select("text").execute();
	return rows.map(({ text }) => text);
}

test.each([
	["an empty span id", { context: { trace_id: "t", span_id: "" } }, "span_id has to be a text of 1 to 255 characters"],
	[
		"a long trace id",
		{ context: { trace_id: "t".repeat(256), span_id: "s" } },
		"trace_id has to be a text of 1 to 255",
	],
	["a NUL", { parent_id: "a\0" }, "parent_id has to be without NUL"],
	["half a surrogate pair", { parent_id: "\ud800" }, "parent_id has to be without NUL"],
	[
		"what reads as a global id",
		{ context: { trace_id: "t", span_id: Buffer.from("Span:12").toString("base64") } },
		"span_id reads as a global id",
	],
])("refuses %s", async (_, rest, error) => {
	const { status, text } = await send([span("s", rest)]);
	expect(status).toBe(400);
	expect(JSON.parse(text).invalid_spans).toMatchObject([{ error: expect.stringContaining(error) }]);
});

test("ids of 255 characters, of zeros, or of another number of hex digits are texts; OpenTelemetry's stay as they are", async () => {
	const texts = ["é".repeat(255), "0".repeat(16), "abc", "f".repeat(17), "nul", "null", " spaced "];
	await send(texts.map((text) => span(text)));
	await send([span("AB".repeat(8), { parent_id: "ab".repeat(8) })]);
	const ids = (await get(`${P}/spans?order=asc`)).data.map((item: never) => own(item)[1]);
	expect(ids).toEqual([...texts, "ab".repeat(8)]);
	expect([storedSpanId("AB".repeat(8)), storedTraceId("0".repeat(32))]).toEqual([
		"ab".repeat(8),
		expect.not.stringMatching(/^0+$/),
	]);
});

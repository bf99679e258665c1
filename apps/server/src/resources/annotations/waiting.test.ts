import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { hex, onSpan, sendSpans, spanId, traceId } from "./test-annotations.ts";
import { WaitingAnnotations } from "./waiting.ts";

let server: TestApp;
let work: WaitingAnnotations;
beforeAll(async () => {
	server = await openTestApp();
	work = new WaitingAnnotations(server.context);
});
afterEach(async () => {
	await server.context.db.write((transaction) => transaction.deleteFrom("waiting_annotations").execute());
	await server.clear();
});
afterAll(async () => {
	await work[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

async function annotate(data: readonly unknown[], kind = "span", query = "") {
	return await server.call("POST", `/v1/${kind}_annotations${query}`, { data });
}

async function waiting() {
	return (await server.get("/v1/waiting_annotations")).json.data;
}

async function labels(span: number, project = "default"): Promise<(string | null)[]> {
	const { json } = await server.get(`/v1/projects/${project}/span_annotations?span_ids=${spanId(span)}&limit=100`);
	return (json?.data ?? []).map((item: { result: { label: string | null } }) => item.result.label);
}

test("annotations whose target exists are written at once, the others when their target arrives", async () => {
	await sendSpans(server, 1);
	const answer = await annotate([
		onSpan(1, { result: { label: "there" } }),
		onSpan(2, { result: { label: "late" }, metadata: { a: 1 } }),
	]);
	expect([answer.status, answer.json]).toEqual([200, { data: [] }]);
	expect(await labels(1)).toEqual(["there"]);
	const [item] = await waiting();
	expect(item).toEqual({
		id: expect.any(String),
		target: "span",
		target_id: spanId(2),
		document_position: null,
		project_id: null,
		name: "quality",
		annotator_kind: "HUMAN",
		result: { label: "late", score: null, explanation: null },
		metadata: { a: 1 },
		identifier: "",
		source: "API",
		user_id: null,
		created_at: expect.any(String),
		reason: "Its span has not arrived.",
	});
	await sendSpans(server, 2);
	await expect.poll(() => labels(2)).toEqual(["late"]);
	expect(await waiting()).toEqual([]);
});

test("annotations of traces, sessions and documents wait too", async () => {
	const rest = { name: "n", annotator_kind: "LLM" };
	await annotate([{ ...rest, trace_id: traceId(1).toUpperCase() }], "trace");
	await annotate([{ ...rest, session_id: "s" }], "session");
	await annotate([{ ...rest, span_id: spanId(1), document_position: 1 }], "document");
	expect(await waiting()).toHaveLength(3);
	await sendSpans(server, 1);
	await expect.poll(waiting).toEqual([]);
	const count = async (url: string) => (await server.get(`/v1/projects/default/${url}`)).json.data.length;
	expect(await count(`trace_annotations?trace_ids=${traceId(1)}`)).toBe(1);
	expect(await count("session_annotations?session_ids=s")).toBe(1);
	expect(await count(`document_annotations?span_ids=${spanId(1)}`)).toBe(1);
});

test("the last annotation with the same key waits, and does not replace one that was written later", async () => {
	await annotate([onSpan(1, { result: { label: "first" } }), onSpan(1, { result: { label: "second" } })]);
	await annotate([onSpan(1, { result: { label: "third" } })]);
	expect(await waiting()).toMatchObject([{ result: { label: "third" } }]);
	await work[Symbol.asyncDispose]();
	await sendSpans(server, 1);
	await annotate([onSpan(1, { result: { label: "newest" } })], "span", "?sync=true");
	work = new WaitingAnnotations(server.context);
	await expect.poll(waiting).toEqual([]);
	expect(await labels(1)).toEqual(["newest"]);
});

test("an annotation for a project waits for the span of that project", async () => {
	await sendSpans(server, 1, "other");
	await annotate([onSpan(1, { result: { label: "mine" } })], "span", "?project=default");
	const [item] = await waiting();
	expect(item.project_id).toBe(Buffer.from("Project:1").toString("base64"));
	await sendSpans(server, 1);
	await expect.poll(() => labels(1)).toEqual(["mine"]);
	expect(await labels(1, "other")).toEqual([]);
});

test("an annotation for a project that was deleted says so", async () => {
	const { json } = await server.call("POST", "/v1/projects", { name: "gone" });
	await annotate([onSpan(1)], "span", "?project=gone");
	await server.call("DELETE", `/v1/projects/${json.data.id}`);
	expect(await waiting()).toMatchObject([{ project_id: json.data.id, reason: "Its project was deleted." }]);
});

test("an annotation at a position beyond the documents of the span keeps waiting and says why, also when the span exists already", async () => {
	const onDocument = { ...onSpan(1), document_position: 2 };
	await annotate([onDocument], "document");
	await sendSpans(server, 1);
	const reason = `Document position 2 is out of bounds for span ${spanId(1)} (max: 1)`;
	await expect.poll(async () => (await waiting()).map((item: { reason: string }) => item.reason)).toEqual([reason]);
	await annotate([{ ...onDocument, name: "other" }], "document");
	expect((await waiting()).map((item: { reason: string }) => item.reason)).toEqual([reason, reason]);
});

test("a document of a span that records none is annotated when the span arrives", async () => {
	await annotate([{ ...onSpan(1), document_position: 2 }], "document");
	await server.send([{ traceId: traceId(1), spanId: spanId(1) }]);
	await expect.poll(waiting).toEqual([]);
	const { json } = await server.get(`/v1/projects/default/document_annotations?span_ids=${spanId(1)}`);
	expect(json.data).toMatchObject([{ document_position: 2 }]);
});

test("an annotation whose target id arrives in two places keeps waiting and names them", async () => {
	await annotate([onSpan(1)]);
	await work[Symbol.asyncDispose]();
	await server.send([
		{ traceId: traceId(1), spanId: spanId(1) },
		{ traceId: traceId(2), spanId: spanId(1) },
	]);
	work = new WaitingAnnotations(server.context);
	const ids = (await server.get("/v1/projects/default/spans?order=asc")).json.data.map(
		(span: { id: string }) => span.id,
	);
	const reason = `Its span id is in several places: ${ids.join(", ")}.`;
	await expect.poll(async () => (await waiting()).map((item: { reason: string }) => item.reason)).toEqual([reason]);
});

test("refuses an id that no entity can ever have", async () => {
	const gone = Buffer.from("Span:999999").toString("base64");
	for (const span_id of ["z".repeat(256), "", gone]) {
		const { status, text } = await annotate([{ ...onSpan(1), span_id }]);
		expect([status, text]).toEqual([404, `Spans with IDs ${span_id} do not exist.`]);
	}
	expect(await waiting()).toEqual([]);
});

test("annotations that a stopped server left waiting are written at the next start", async () => {
	await work[Symbol.asyncDispose]();
	await annotate(Array.from({ length: 1_200 }, (_, index) => onSpan(1, { identifier: `${index}` })));
	await sendSpans(server, 1);
	expect(await labels(1)).toEqual([]);
	work = new WaitingAnnotations(server.context);
	await expect.poll(waiting).toEqual([]);
	const { json } = await server.get(`/v1/projects/default/span_annotations?span_ids=${spanId(1)}&limit=10000`);
	expect(json.data).toHaveLength(1_200);
});

test("nothing is lost while spans and their annotations arrive at the same time", async () => {
	const spans = Array.from({ length: 60 }, (_, index) => index + 1);
	await Promise.all(
		spans.flatMap((span) => [
			annotate([onSpan(span, { result: { label: `${span}` } })]),
			server.send([{ traceId: hex(span, 32), spanId: spanId(span), attributes: { "session.id": text("s") } }]),
		]),
	);
	await expect.poll(waiting).toEqual([]);
	for (const span of spans) expect(await labels(span)).toEqual([`${span}`]);
});

test("the list pages from the newest, and waiting annotations can be deleted", async () => {
	await annotate([1, 2, 3].map((span) => onSpan(span)));
	const first = await server.get("/v1/waiting_annotations?limit=2");
	const second = await server.get(`/v1/waiting_annotations?limit=2&cursor=${first.json.next_cursor}`);
	expect([...first.json.data, ...second.json.data].map((item) => item.target_id)).toEqual([3, 2, 1].map(spanId));
	expect(second.json.next_cursor).toBeNull();
	const forged = Buffer.from("Span:1").toString("base64");
	expect((await server.get(`/v1/waiting_annotations?cursor=${forged}`)).status).toBe(422);
	expect((await server.call("DELETE", `/v1/waiting_annotations/${first.json.data[0].id}`)).status).toBe(204);
	expect(await waiting()).toHaveLength(2);
	await sendSpans(server, 3);
	await expect.poll(waiting).toEqual([]);
	expect(await labels(3)).toEqual([]);
});

test("the number of waiting annotations is bounded, and a request beyond the bound is refused as a whole", async () => {
	const row = {
		target: "span",
		document_position: -1,
		project_id: 0,
		identifier: "",
		annotator_kind: "HUMAN",
		metadata: "{}",
		source: "API",
		created_at: 1,
	} as const;
	for (let start = 0; start < 99_999; start += 1_000) {
		const rows = Array.from({ length: Math.min(1_000, 99_999 - start) }, (_, index) => ({
			...row,
			target_id: hex(1_000_000 + start + index, 16),
			name: "n",
		}));
		await server.context.db.write((transaction) =>
			transaction.insertInto("waiting_annotations").values(rows).execute(),
		);
	}
	const refused = await annotate([onSpan(1), onSpan(2)]);
	expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "60"]);
	expect(refused.text).toContain("GET /v1/waiting_annotations");
	expect((await annotate([onSpan(1)])).status).toBe(200);
	expect((await annotate([onSpan(2)])).status).toBe(429);
});

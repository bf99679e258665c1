import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { onSpan, sendSpans, spanId, traceId } from "./test-annotations.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const LIST = "/v1/projects/default/span_annotations";

async function annotate(data: readonly unknown[], kind = "span") {
	return await server.call("POST", `/v1/${kind}_annotations?sync=true`, { data });
}

async function listed(query: string) {
	return (await server.get(`${LIST}?${query}&limit=100`)).json.data;
}

test("an annotation is listed as it was sent, with who and when", async () => {
	await sendSpans(server, 1);
	const result = { label: "good", score: 0.30000000000000004, explanation: "because" };
	const { status, json } = await annotate([
		onSpan(1, {
			annotator_kind: "LLM",
			result,
			metadata: { n: 12345678901234567890n.toString(), deep: { a: [1.5] } },
			identifier: "i",
		}),
	]);
	expect(status).toBe(200);
	const [annotation] = await listed(`span_ids=${spanId(1)}`);
	expect(annotation).toEqual({
		id: json.data[0].id,
		created_at: expect.stringMatching(/^20.*\+00:00$/),
		updated_at: annotation.created_at,
		source: "API",
		user_id: null,
		name: "quality",
		annotator_kind: "LLM",
		result,
		metadata: { n: "12345678901234567890", deep: { a: [1.5] } },
		identifier: "i",
		span_id: spanId(1),
	});
});

test("annotating again replaces the content and keeps the id; omitted members become null", async () => {
	await sendSpans(server, 1);
	const first = await annotate([onSpan(1, { result: { label: "bad", score: 1 }, metadata: { a: 1 } })]);
	const second = await annotate([onSpan(1, { result: { score: 2 }, metadata: null, identifier: "" })]);
	expect(second.json).toEqual(first.json);
	const [annotation] = await listed(`span_ids=${spanId(1)}`);
	expect(annotation).toMatchObject({ result: { label: null, score: 2, explanation: null }, metadata: {} });
	expect(annotation.updated_at > annotation.created_at).toBe(true);
});

test("ids are answered in the order of the request, and the last annotation with the same key wins", async () => {
	await sendSpans(server, 2);
	const { json } = await annotate([
		onSpan(2, { result: { label: "first" } }),
		onSpan(1),
		onSpan(2, { result: { label: "last" } }),
		onSpan(2, { identifier: "other" }),
	]);
	const ids = json.data.map(({ id }: { id: string }) => id);
	expect(ids[0]).toBe(ids[2]);
	expect(new Set(ids).size).toBe(3);
	const annotations = new Map(
		(await listed(`span_ids=${spanId(1)}&span_ids=${spanId(2)}`)).map((item: { id: string }) => [item.id, item]),
	);
	expect(annotations.get(ids[0])).toMatchObject({ span_id: spanId(2), result: { label: "last" } });
	expect(annotations.get(ids[1])).toMatchObject({ span_id: spanId(1) });
	expect(annotations.get(ids[3])).toMatchObject({ span_id: spanId(2), identifier: "other" });
});

test("a missing target fails the whole request and is named", async () => {
	await sendSpans(server, 1);
	const { status, text } = await annotate([onSpan(1), onSpan(7), onSpan(8)]);
	expect([status, text]).toEqual([404, `Spans with IDs ${spanId(7)}, ${spanId(8)} do not exist.`]);
	expect(await listed(`span_ids=${spanId(1)}`)).toEqual([]);
	const trace = { trace_id: traceId(9), name: "n", annotator_kind: "CODE" };
	expect((await annotate([trace], "trace")).text).toBe(`Traces with IDs ${traceId(9)} do not exist.`);
	const session = { session_id: "none", name: "n", annotator_kind: "CODE" };
	expect((await annotate([session], "session")).text).toBe("Sessions with IDs none do not exist.");
});

test.each([
	["an empty name", { name: "" }],
	["a blank name", { name: "  " }],
	["a long name", { name: "n".repeat(1_001) }],
	["a NUL", { identifier: "a\0" }],
	["half of a surrogate pair", { result: { label: "\ud800" } }],
	["another kind", { annotator_kind: "ROBOT" }],
	["metadata that is no object", { metadata: [] }],
	["a score that is no number", { result: { score: "1" } }],
	["metadata without end", { metadata: { text: "x".repeat(70_000) } }],
])("refuses %s with 422", async (_what, rest) => {
	expect((await annotate([onSpan(1, rest)])).status).toBe(422);
});

test("a score that JSON cannot hold becomes null", async () => {
	await sendSpans(server, 1);
	const payload = `{"data":[{"span_id":"${spanId(1)}","name":"n","annotator_kind":"CODE","result":{"score":1e999}}]}`;
	const headers = { "content-type": "application/json" };
	expect((await server.call("POST", "/v1/span_annotations?sync=true", payload, headers)).status).toBe(200);
	expect(await listed(`span_ids=${spanId(1)}`)).toMatchObject([{ result: { score: null } }]);
});

test("the name of notes is reserved", async () => {
	await sendSpans(server, 1);
	const { status, text } = await annotate([onSpan(1, { name: "note" })]);
	expect([status, text]).toEqual([
		400,
		"The name 'note' is reserved for trace and span notes. Use POST /v1/span_notes instead.",
	]);
});

test("spans, traces and sessions are found by global id too", async () => {
	await sendSpans(server, 1);
	const span = (await server.get("/v1/projects/default/spans")).json.data[0];
	const trace = (await server.get("/v1/projects/default/traces")).json.data[0];
	const session = (await server.get("/v1/projects/default/sessions")).json.data[0];
	const rest = { name: "n", annotator_kind: "CODE" };
	expect((await annotate([{ ...rest, span_id: span.id }])).status).toBe(200);
	expect((await annotate([{ ...rest, trace_id: trace.id }], "trace")).status).toBe(200);
	expect((await annotate([{ ...rest, session_id: session.id }], "session")).status).toBe(200);
	expect(await listed(`span_ids=${span.id}`)).toMatchObject([{ span_id: spanId(1) }]);
	const traces = await server.get(`/v1/projects/default/trace_annotations?trace_ids=${traceId(1)}`);
	expect(traces.json.data).toMatchObject([{ trace_id: traceId(1), name: "n" }]);
	const sessions = await server.get("/v1/projects/default/session_annotations?session_ids=s");
	expect(sessions.json.data).toMatchObject([{ session_id: "s", name: "n" }]);
	expect((await annotate([{ ...rest, span_id: spanId(1).toUpperCase() }])).status).toBe(200);
});

test("a bare id in several projects is refused with the global ids, and the project narrows it", async () => {
	await sendSpans(server, 1);
	await sendSpans(server, 1, "other");
	for (const sync of [true, false]) {
		const { status, text } = await server.call("POST", `/v1/span_annotations?sync=${sync}`, { data: [onSpan(1)] });
		expect(status).toBe(409);
		expect(text).toMatch(/use one of the ids \S+=*, \S+=*, or add \?project=/);
	}
	const narrowed = await server.call("POST", "/v1/span_annotations?sync=true&project=other", { data: [onSpan(1)] });
	expect(narrowed.status).toBe(200);
	expect(await listed(`span_ids=${spanId(1)}`)).toEqual([]);
	const other = await server.get(`/v1/projects/other/span_annotations?span_ids=${spanId(1)}`);
	expect(other.json.data).toHaveLength(1);
	expect((await server.call("POST", "/v1/trace_notes", { data: { trace_id: traceId(1), note: "n" } })).status).toBe(
		409,
	);
	const note = await server.call("POST", "/v1/session_notes?project=other", { data: { session_id: "s", note: "n" } });
	expect(note.status).toBe(200);
});

test("a session id in two projects is named by its global id, with padding and without", async () => {
	const code = { name: "n", annotator_kind: "CODE" };
	await sendSpans(server, 1);
	await sendSpans(server, 1, "other");
	const { json } = await server.get("/v1/projects/other/sessions");
	const id: string = json.data[0].id;
	const unpadded = id.replaceAll("=", "");
	const bare = await server.call("POST", "/v1/session_annotations?sync=true", { data: [{ ...code, session_id: "s" }] });
	expect([bare.status, bare.text]).toEqual([409, expect.stringContaining(id)]);
	for (const [name, session_id] of [
		["padded", id],
		["unpadded", unpadded],
	]) {
		for (const sync of [true, false]) {
			const body = { data: [{ ...code, name: `${name} ${sync}`, session_id }] };
			expect((await server.call("POST", `/v1/session_annotations?sync=${sync}`, body)).status).toBe(200);
		}
		const written = await server.call("POST", "/v1/session_notes", { data: { session_id, note: "n" } });
		expect(written.status).toBe(200);
	}
	const found = await server.get(`/v1/projects/other/session_annotations?session_ids=${encodeURIComponent(id)}`);
	const names = found.json.data.map((annotation: { name: string }) => annotation.name).sort();
	expect(names).toEqual(["note", "note", "padded false", "padded true", "unpadded false", "unpadded true"]);
	expect((await server.get("/v1/projects/default/session_annotations?session_ids=s")).json.data).toEqual([]);
});

test("the list filters by names and identifiers and pages from the newest", async () => {
	await sendSpans(server, 3);
	await annotate([
		onSpan(1, { name: "a", identifier: "x" }),
		onSpan(2, { name: "b", identifier: "x" }),
		onSpan(3, { name: "a", identifier: "y" }),
	]);
	await server.call("POST", "/v1/span_notes", { data: { span_id: spanId(1), note: "hello" } });
	const names = async (query: string) => (await listed(query)).map((item: { name: string }) => item.name);
	const all = [1, 2, 3].map((span) => `span_ids=${spanId(span)}`).join("&");
	expect(await names(all)).toEqual(["note", "a", "b", "a"]);
	expect(await names(`${all}&exclude_annotation_names=note`)).toEqual(["a", "b", "a"]);
	expect(await names(`${all}&include_annotation_names=b`)).toEqual(["b"]);
	expect(await names("identifier=x")).toEqual(["b", "a"]);
	expect(await names("identifier=x&identifier=y")).toEqual(["a", "b", "a"]);
	expect(await names(`identifier=x&span_ids=${spanId(2)}`)).toEqual(["b"]);
	expect(await names(`identifier=x&span_ids=${spanId(9)}`)).toEqual([]);
	const seen: string[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page = await server.get(`${LIST}?${all}&limit=3&cursor=${encodeURIComponent(cursor)}`);
		seen.push(...page.json.data.map((item: { name: string }) => item.name));
		cursor = page.json.next_cursor;
	}
	expect(seen).toEqual(["note", "a", "b", "a"]);
});

test("the list refuses a request without ids, unknown ids and a forged cursor", async () => {
	await sendSpans(server, 1);
	expect((await server.get(LIST)).status).toBe(422);
	expect((await server.get(`${LIST}?identifier=`)).status).toBe(422);
	const none = await server.get(`${LIST}?span_ids=${spanId(9)}`);
	expect([none.status, none.text]).toEqual([404, "None of the supplied span_ids exist in this project"]);
	const forged = Buffer.from("Trace:1").toString("base64");
	expect((await server.get(`${LIST}?span_ids=${spanId(1)}&cursor=${forged}`)).status).toBe(422);
	expect((await server.get(`/v1/projects/nowhere/span_annotations?span_ids=${spanId(1)}`)).status).toBe(404);
	expect((await server.get(`${LIST}?span_ids=${spanId(1)}&limit=10001`)).status).toBe(422);
});

test("a page of long texts ends early, and the next one continues", async () => {
	await sendSpans(server, 1);
	const explanation = "x".repeat(65_000);
	const count = 300;
	await annotate(
		Array.from({ length: count }, (_, index) => onSpan(1, { identifier: `${index}`, result: { explanation } })),
	);
	const first = await server.get(`${LIST}?span_ids=${spanId(1)}&limit=10000`);
	expect(first.json.data.length).toBeLessThan(count);
	const rest = await server.get(`${LIST}?span_ids=${spanId(1)}&limit=10000&cursor=${first.json.next_cursor}`);
	expect(first.json.data.length + rest.json.data.length).toBe(count);
	expect(rest.json.next_cursor).toBeNull();
});

test("documents are annotated by their position, within the documents of the span", async () => {
	await sendSpans(server, 1);
	const onDocument = (document_position: number, rest = {}) => onSpan(1, { document_position, ...rest });
	const { status } = await annotate([onDocument(0, { result: { score: 1 } }), onDocument(1)], "document");
	expect(status).toBe(200);
	const { json } = await server.get(`/v1/projects/default/document_annotations?span_ids=${spanId(1)}`);
	expect(json.data).toMatchObject([
		{ span_id: spanId(1), document_position: 1 },
		{ span_id: spanId(1), document_position: 0, result: { score: 1 } },
	]);
	const beyond = await annotate([onDocument(2)], "document");
	expect([beyond.status, beyond.text]).toEqual([
		422,
		`Document position 2 is out of bounds for span ${spanId(1)} (max: 1)`,
	]);
	const identified = await annotate([onDocument(0, { identifier: "x" })], "document");
	expect([identified.status, identified.text]).toEqual([422, "Non-empty identifier 'x' is not supported"]);
	expect((await annotate([onDocument(-1)], "document")).status).toBe(422);
	expect(await listed(`span_ids=${spanId(1)}`)).toEqual([]);
});

test("a document of a span that records none is annotated at any position", async () => {
	await server.send([{ traceId: traceId(1), spanId: spanId(1) }]);
	const onDocument = { ...onSpan(1), document_position: 7 };
	expect((await annotate([onDocument], "document")).status).toBe(200);
	const { json } = await server.get(`/v1/projects/default/document_annotations?span_ids=${spanId(1)}`);
	expect(json.data).toMatchObject([{ span_id: spanId(1), document_position: 7 }]);
});

test.each(["LLM", "CODE", "HUMAN", "AGENT", "DECISION"])("takes annotations of the kind %s", async (annotator_kind) => {
	await sendSpans(server, 1);
	expect((await annotate([onSpan(1, { annotator_kind })])).status).toBe(200);
	expect(await listed(`span_ids=${spanId(1)}`)).toMatchObject([{ annotator_kind }]);
	const filter = encodeURIComponent(`any(a.annotator_kind == '${annotator_kind}' for a in span_annotations)`);
	expect((await server.get(`/v1/projects/default/traces?filter=${filter}`)).json.data).toHaveLength(1);
});

test("the names of a project's annotations are known by target, with what they have", async () => {
	await sendSpans(server, 3);
	const names = async (project = "default") => (await server.get(`/v1/projects/${project}/annotation_names`)).json.data;
	expect(await names()).toEqual([]);
	await annotate([
		...[1, 2, 3].map((span) => onSpan(span, { name: "b", result: { score: span } })),
		onSpan(3, { name: "Ä", result: { label: "good" } }),
		onSpan(3, { name: "a", result: { explanation: "why" } }),
	]);
	await annotate(
		[{ trace_id: traceId(1), name: "b", annotator_kind: "LLM", result: { label: "x", score: 0 } }],
		"trace",
	);
	const [session] = (await server.get("/v1/projects/default/sessions")).json.data;
	await annotate(
		[{ session_id: session.session_id, name: "b", annotator_kind: "LLM", result: { score: 1 } }],
		"session",
	);
	const named = (target: string, name: string, has_scores: boolean, has_labels: boolean) => ({
		...{ target, name, has_scores, has_labels },
	});
	const found = await names();
	expect(found).toHaveLength(5);
	expect(found).toEqual(
		expect.arrayContaining([
			named("span", "a", false, false),
			named("span", "b", true, false),
			named("span", "Ä", false, true),
			named("trace", "b", true, true),
			named("session", "b", true, false),
		]),
	);
	await sendSpans(server, 1, "other");
	expect(await names("other")).toEqual([]);
	expect((await server.get("/v1/projects/nothing/annotation_names")).status).toBe(404);
});

test("notes are trimmed, new without an identifier and replaced with one", async () => {
	await sendSpans(server, 1);
	const note = (kind: string, data: object) => server.call("POST", `/v1/${kind}_notes`, { data });
	const first = await note("span", { span_id: spanId(1), note: "  hello " });
	const second = await note("span", { span_id: spanId(1), note: "again" });
	expect(first.json.data.id).not.toBe(second.json.data.id);
	expect(await listed(`span_ids=${spanId(1)}`)).toMatchObject([
		{ name: "note", annotator_kind: "HUMAN", result: { explanation: "again" } },
		{ name: "note", annotator_kind: "HUMAN", result: { label: null, score: null, explanation: "hello" } },
	]);
	const mine = { trace_id: traceId(1), identifier: " mine " };
	const third = await note("trace", { ...mine, note: "one" });
	expect((await note("trace", { ...mine, note: "two" })).json).toEqual(third.json);
	const traces = await server.get(`/v1/projects/default/trace_annotations?trace_ids=${traceId(1)}`);
	expect(traces.json.data).toMatchObject([{ identifier: "mine", result: { explanation: "two" } }]);
	expect((await note("span", { span_id: spanId(1), note: " " })).status).toBe(422);
	expect((await note("span", { span_id: spanId(9), note: "n" })).text).toBe(`Span with ID ${spanId(9)} not found`);
	expect((await note("trace", { trace_id: "zz", note: "n" })).text).toBe("Trace with ID zz not found");
	expect((await note("session", { session_id: "t", note: "n" })).text).toBe("Session with session_id t not found");
});

test("one annotation is read, changed in part and deleted by its id", async () => {
	await sendSpans(server, 1);
	const { json } = await annotate([onSpan(1, { result: { label: "l", score: 1 }, metadata: { a: 1 } })]);
	const url = `/v1/annotations/${json.data[0].id}`;
	const read = await server.get(url);
	expect(read.json.data).toMatchObject({ span_id: spanId(1), result: { label: "l", score: 1 }, metadata: { a: 1 } });
	const patched = await server.call("PATCH", url, {
		result: { score: null, explanation: "e" },
		annotator_kind: "CODE",
	});
	expect(patched.json.data).toMatchObject({
		annotator_kind: "CODE",
		result: { label: "l", score: null, explanation: "e" },
		metadata: { a: 1 },
	});
	expect((await server.call("PATCH", url, { metadata: null })).json.data.metadata).toEqual({});
	const stale = { "if-match": String(read.headers["etag"]) };
	expect((await server.call("PATCH", url, {}, stale)).status).toBe(412);
	// A score belongs into `result`: a 200 would look as if it had been changed.
	const nothing = await server.call("PATCH", url, { score: 0.5 });
	expect([nothing.status, nothing.text]).toEqual([422, "No fields to update"]);
	expect((await server.call("DELETE", url, undefined, stale)).status).toBe(412);
	const fresh = { "if-match": String((await server.get(url)).headers["etag"]) };
	expect((await server.call("DELETE", url, undefined, fresh)).status).toBe(204);
	expect((await server.get(url)).status).toBe(404);
	expect((await server.call("DELETE", url)).status).toBe(404);
});

test("an id says which kind of annotation it belongs to", async () => {
	await sendSpans(server, 1);
	const { json } = await annotate([onSpan(1)]);
	const [, number] = Buffer.from(json.data[0].id, "base64").toString().split(":");
	const ofTrace = Buffer.from(`TraceAnnotation:${number}`).toString("base64");
	expect((await server.get(`/v1/annotations/${ofTrace}`)).status).toBe(404);
	expect((await server.get(`/v1/annotations/${Buffer.from(`Span:${number}`).toString("base64")}`)).status).toBe(422);
});

test("a note cannot lose its text", async () => {
	await sendSpans(server, 1);
	const { json } = await server.call("POST", "/v1/span_notes", { data: { span_id: spanId(1), note: "n" } });
	const url = `/v1/annotations/${json.data.id}`;
	expect((await server.call("PATCH", url, { result: { explanation: " " } })).status).toBe(422);
	expect((await server.call("PATCH", url, { result: null })).status).toBe(422);
	const changed = await server.call("PATCH", url, { result: { explanation: "m" } });
	expect(changed.json.data.result.explanation).toBe("m");
});

test("many are deleted at once by name, identifier, kind and time, and without a time range only with delete_all", async () => {
	await sendSpans(server, 1);
	const remove = (query: string) => server.call("DELETE", `${LIST}?${query}`);
	await annotate([
		onSpan(1, { name: "a" }),
		onSpan(1, { name: "b", identifier: "x" }),
		onSpan(1, { name: "c", annotator_kind: "LLM" }),
		onSpan(1, { name: "d" }),
	]);
	const names = async () => (await listed(`span_ids=${spanId(1)}`)).map((item: { name: string }) => item.name);
	const unbounded = await remove("name=a&start_time=2000-01-01");
	expect([unbounded.status, unbounded.text]).toEqual([
		422,
		"Delete is unbounded. Set delete_all=true to acknowledge, or supply both start_time and end_time to bound the time range.",
	]);
	expect((await remove("delete_all=true&name=a")).status).toBe(204);
	expect(await names()).toEqual(["d", "c", "b"]);
	await remove("delete_all=true&identifier=x");
	await remove("delete_all=true&annotator_kind=LLM");
	expect(await names()).toEqual(["d"]);
	await remove("start_time=2000-01-01&end_time=2001-01-01");
	expect(await names()).toEqual(["d"]);
	expect((await remove("start_time=2000-01-01&end_time=2100-01-01")).status).toBe(204);
	expect(await names()).toEqual([]);
});

test("a batch larger than one transaction is written whole, and replaced whole", async () => {
	await sendSpans(server, 3);
	const batch = (label: string) =>
		Array.from({ length: 1_700 }, (_, index) => onSpan(1 + (index % 3), { name: `n${index}`, result: { label } }));
	const first = await annotate(batch("one"));
	expect(new Set(first.json.data.map((item: { id: string }) => item.id)).size).toBe(1_700);
	expect((await annotate(batch("two"))).json).toEqual(first.json);
	const { json } = await server.get(`${LIST}?span_ids=${spanId(2)}&limit=10000`);
	expect(json.data).toHaveLength(567);
	expect(new Set(json.data.map((item: { result: { label: string } }) => item.result.label))).toEqual(new Set(["two"]));
});

test("annotations of a deleted span are gone, also by id", async () => {
	await server.send([
		{ traceId: traceId(1), spanId: spanId(1) },
		{ traceId: traceId(1), spanId: spanId(2), attributes: { "session.id": text("s") } },
	]);
	const { json } = await annotate([onSpan(1), onSpan(2)]);
	await server.call("DELETE", `/v1/spans/${spanId(1)}`);
	expect((await server.get(`/v1/annotations/${json.data[0].id}`)).status).toBe(404);
	expect((await server.get(`/v1/annotations/${json.data[1].id}`)).status).toBe(200);
});

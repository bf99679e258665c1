import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";
import { makeSpan, spanId, traceId } from "./make-span.ts";

export function checkAnnotations(under: () => ClientUnderTest): void {
	test("annotations of spans are stored, and read page by page", async () => {
		const { client, spans } = under();
		const project = { projectName: "js-annotations" };
		const spanIds = [spanId(31), spanId(32)];
		await spans.logSpans({
			client,
			project,
			spans: [31, 32].map((span) => makeSpan({ trace: 31, span, name: "step", kind: "CHAIN" })),
		});
		const added = await spans.addSpanAnnotation({
			client,
			spanAnnotation: {
				spanId: spanId(31),
				name: "quality",
				label: "good",
				score: 0.5,
				explanation: "why",
				annotatorKind: "LLM",
				metadata: { by: "check" },
				identifier: "one",
			},
			sync: true,
		});
		expect(added?.id).toBeTruthy();
		const logged = await spans.logSpanAnnotations({
			client,
			spanAnnotations: spanIds.map((id) => ({ spanId: id, name: "length", score: 3 })),
			sync: true,
		});
		expect(new Set(logged.map(({ id }) => id)).size).toBe(2);
		expect(
			await spans.addSpanAnnotation({ client, spanAnnotation: { spanId: spanId(32), name: "later", score: 1 } }),
		).toBeNull();

		const first = await spans.getSpanAnnotations({ client, project, spanIds, limit: 2 });
		expect(first.annotations).toHaveLength(2);
		const all = await spans.getSpanAnnotations({
			client,
			project,
			spanIds,
			includeAnnotationNames: ["quality", "length"],
		});
		expect(all.annotations.map(({ name }) => name).toSorted()).toEqual(["length", "length", "quality"]);
		expect(all.annotations.find(({ name }) => name === "quality")).toMatchObject({
			span_id: spanId(31),
			annotator_kind: "LLM",
			result: { label: "good", score: 0.5, explanation: "why" },
			metadata: { by: "check" },
			identifier: "one",
			source: "API",
		});
		const without = await spans.getSpanAnnotations({
			client,
			project,
			spanIds,
			excludeAnnotationNames: ["length", "later"],
		});
		expect(without.annotations.map(({ name }) => name)).toEqual(["quality"]);
	});

	test("documents of a span are annotated by their position", async () => {
		const { client, spans } = under();
		const attributes = { "retrieval.documents.0.document.content": "a", "retrieval.documents.1.document.content": "b" };
		const search = makeSpan({ trace: 33, span: 33, name: "search", kind: "RETRIEVER", attributes });
		await spans.logSpans({ client, project: { projectName: "js-documents" }, spans: [search] });
		const annotation = { spanId: spanId(33), name: "relevance", score: 1 };
		const added = await spans.addDocumentAnnotation({
			client,
			documentAnnotation: { ...annotation, documentPosition: 0 },
			sync: true,
		});
		expect(added?.id).toBeTruthy();
		const logged = await spans.logDocumentAnnotations({
			client,
			documentAnnotations: [{ ...annotation, documentPosition: 1 }],
			sync: true,
		});
		expect(logged).toHaveLength(1);
	});

	test("traces and sessions are annotated", async () => {
		const { client, spans, traces, sessions } = under();
		const attributes = { "session.id": "js-annotated" };
		const turn = makeSpan({ trace: 34, span: 34, name: "turn", kind: "CHAIN", attributes });
		await spans.logSpans({ client, project: { projectName: "js-targets" }, spans: [turn] });
		const traceAnnotation = { traceId: traceId(34), name: "quality", score: 1 };
		const sessionAnnotation = { sessionId: "js-annotated", name: "mood", label: "good" };
		expect((await traces.addTraceAnnotation({ client, traceAnnotation, sync: true }))?.id).toBeTruthy();
		expect(await traces.logTraceAnnotations({ client, traceAnnotations: [traceAnnotation], sync: true })).toHaveLength(
			1,
		);
		expect((await sessions.addSessionAnnotation({ client, sessionAnnotation, sync: true }))?.id).toBeTruthy();
		const logged = await sessions.logSessionAnnotations({
			client,
			sessionAnnotations: [sessionAnnotation],
			sync: true,
		});
		expect(logged).toHaveLength(1);
		const read = await client.GET("/v1/projects/{project_identifier}/trace_annotations", {
			params: { path: { project_identifier: "js-targets" }, query: { trace_ids: [traceId(34)] } },
		});
		expect(read.data?.data.map(({ name }) => name)).toEqual(["quality"]);
	});

	test("notes are added to spans, traces and sessions", async () => {
		const { client, spans, traces, sessions } = under();
		const project = { projectName: "js-notes" };
		const attributes = { "session.id": "js-noted" };
		const turn = makeSpan({ trace: 35, span: 35, name: "turn", kind: "CHAIN", attributes });
		await spans.logSpans({ client, project, spans: [turn] });
		expect((await spans.addSpanNote({ client, spanNote: { spanId: spanId(35), note: "one" } })).id).toBeTruthy();
		expect((await spans.addSpanNote({ client, spanNote: { spanId: spanId(35), note: "two" } })).id).toBeTruthy();
		const once = { spanId: spanId(35), note: "three", identifier: "once" };
		await spans.addSpanNote({ client, spanNote: once });
		await spans.addSpanNote({ client, spanNote: { ...once, note: "four" } });
		expect((await traces.addTraceNote({ client, traceNote: { traceId: traceId(35), note: "x" } })).id).toBeTruthy();
		expect(
			(await sessions.addSessionNote({ client, sessionNote: { sessionId: "js-noted", note: "x" } })).id,
		).toBeTruthy();
		const read = await spans.getSpanAnnotations({
			client,
			project,
			spanIds: [spanId(35)],
			includeAnnotationNames: ["note"],
		});
		const texts = read.annotations.map(({ result }) => result?.explanation).toSorted();
		expect(texts).toEqual(["four", "one", "two"]);
	});
}

import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { ClientUnderTest } from "./client-under-test.ts";
import { makeSpan, spanId, traceId } from "./make-span.ts";

export function checkSpans(under: () => ClientUnderTest): void {
	test("spans have ids of their own, by which they are read, annotated and deleted", async () => {
		const { client, spans } = under();
		const project = { projectName: "js-own-ids" };
		const [trace, root, child] = [randomUUID(), randomUUID(), `Child ${randomUUID()}`];
		const logged = await spans.logSpans({
			client,
			project,
			spans: [
				{ ...makeSpan({ span: 1, name: "root", kind: "AGENT" }), context: { trace_id: trace, span_id: root } },
				{
					...makeSpan({ span: 2, name: "child", kind: "LLM" }),
					context: { trace_id: trace, span_id: child },
					parent_id: root,
				},
			],
		});
		expect(logged.totalQueued).toBe(2);
		const read = await spans.getSpans({ client, project, parentId: root });
		expect(read.spans).toMatchObject([{ context: { trace_id: trace, span_id: child }, parent_id: root }]);
		expect((await spans.getSpans({ client, project, traceIds: [trace] })).spans).toHaveLength(2);
		const spanAnnotation = { spanId: child, name: "own", label: "good", annotatorKind: "LLM" as const };
		await spans.addSpanAnnotation({ client, spanAnnotation, sync: true });
		const { annotations } = await spans.getSpanAnnotations({ client, project, spanIds: [child] });
		expect(annotations).toMatchObject([{ span_id: child, name: "own" }]);
		await spans.deleteSpan({ client, spanIdentifier: child });
		expect((await spans.getSpans({ client, project })).spans.map(({ name }) => name)).toEqual(["root"]);
	});

	test("logSpans() stores spans, getSpans() filters and pages them", async () => {
		const { client, spans } = under();
		const project = { projectName: "js-log" };
		const logged = await spans.logSpans({
			client,
			project,
			spans: [
				makeSpan({ span: 1, name: "root", kind: "AGENT", attributes: { "session.id": "s-1" } }),
				makeSpan({
					span: 2,
					name: "model",
					kind: "LLM",
					parent: 1,
					status: "ERROR",
					attributes: { "llm.model_name": "m" },
				}),
				makeSpan({ span: 3, name: "tool", kind: "TOOL", parent: 1, attributes: { attempts: 2 } }),
			],
		});
		expect(logged).toEqual({ totalReceived: 3, totalQueued: 3 });

		type Filter = Omit<Parameters<typeof spans.getSpans>[0], "client" | "project">;
		const names = async (filter: Filter) =>
			(await spans.getSpans({ client, project, ...filter })).spans.map(({ name }) => name).toSorted();
		expect(await names({})).toEqual(["model", "root", "tool"]);
		expect(await names({ parentId: null })).toEqual(["root"]);
		expect(await names({ parentId: spanId(1) })).toEqual(["model", "tool"]);
		expect(await names({ name: ["model", "root"] })).toEqual(["model", "root"]);
		expect(await names({ spanKind: "LLM" })).toEqual(["model"]);
		expect(await names({ statusCode: "ERROR" })).toEqual(["model"]);
		expect(await names({ attributes: { attempts: 2 } })).toEqual(["tool"]);
		expect(await names({ traceIds: [traceId(9)] })).toEqual([]);
		expect(await names({ startTime: "2026-01-01T00:00:02+00:00" })).toEqual(["model", "tool"]);

		const first = await spans.getSpans({ client, project, limit: 2 });
		expect(first.spans).toHaveLength(2);
		const second = await spans.getSpans({ client, project, limit: 2, cursor: first.nextCursor });
		expect(second.spans).toHaveLength(1);
		expect(second.nextCursor).toBeNull();
	});

	test("logSpans() names the duplicates and stores nothing of that request", async () => {
		const { client, spans } = under();
		const project = { projectName: "js-duplicates" };
		const span = makeSpan({ span: 11, name: "once", kind: "CHAIN" });
		await spans.logSpans({ client, project, spans: [span] });
		const again = spans.logSpans({
			client,
			project,
			spans: [span, makeSpan({ span: 12, name: "new", kind: "CHAIN" })],
		});
		const error = await again.then(
			() => undefined,
			(reason: unknown) => reason,
		);
		expect(error).toBeInstanceOf(spans.SpanCreationError);
		expect(error).toMatchObject({ totalReceived: 2, totalQueued: 0, totalDuplicates: 1 });
		expect((await spans.getSpans({ client, project })).spans).toHaveLength(1);
	});

	test("deleteSpan() deletes one", async () => {
		const { client, spans } = under();
		const project = { projectName: "js-delete" };
		const some = [
			makeSpan({ span: 13, name: "kept", kind: "CHAIN" }),
			makeSpan({ span: 14, name: "gone", kind: "LLM" }),
		];
		await spans.logSpans({ client, project, spans: some });
		await spans.deleteSpan({ client, spanIdentifier: spanId(14) });
		expect((await spans.getSpans({ client, project })).spans.map(({ name }) => name)).toEqual(["kept"]);
	});
}

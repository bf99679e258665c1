import { expect, it } from "vitest";
import { HOUR_0, spanHex, testSpan, traceHex } from "../test-spans.ts";
import { allSessions, type OpenStore, projectId, type StoreUnderTest } from "./store-under-test.ts";

/** A note on something, as the annotations' tables keep it. */
export interface TestAnnotation {
	readonly on: "span" | "trace" | "session" | "document";
	/** Name of the project; "default" when absent. */
	readonly project?: string;
	readonly trace?: number;
	readonly span?: number;
	readonly session?: string;
	readonly name: string;
	readonly label?: string;
	readonly score?: number;
	/** Tells annotations with one name apart. */
	readonly identifier?: string;
	readonly updated?: number;
}

export async function insertAnnotation(store: StoreUnderTest, wanted: TestAnnotation): Promise<void> {
	const project = await projectId(store, wanted.project);
	const [trace] = await store.traces.findTracesByTraceIds([traceHex(wanted.trace ?? 1)], project);
	const [span] = await store.traces.findSpansBySpanId(spanHex(wanted.span ?? 1), {
		projectId: project,
		traceId: traceHex(wanted.trace ?? 1),
	});
	const [session] = await store.traces.findSessionsBySessionId(wanted.session ?? "", project);
	const ofSpan = wanted.on === "span" || wanted.on === "document";
	const target = ofSpan ? span?.summary.id : wanted.on === "trace" ? trace?.id : session?.id;
	if (target === undefined) throw new Error(`there is no ${wanted.on} to annotate`);
	await store.db.write((transaction) =>
		transaction
			.insertInto("annotations")
			.values({
				target: wanted.on,
				target_row_id: target,
				...(wanted.on === "document" ? { document_position: 0 } : {}),
				project_id: project,
				span_row_id: ofSpan ? target : null,
				trace_row_id: wanted.on === "session" ? null : (trace?.id ?? null),
				session_row_id: wanted.on === "session" ? target : null,
				name: wanted.name,
				identifier: wanted.identifier ?? "",
				annotator_kind: "HUMAN",
				label: wanted.label ?? null,
				score: wanted.score ?? null,
				explanation: null,
				metadata: "{}",
				source: "API",
				user_id: null,
				created_at: 1,
				updated_at: wanted.updated ?? 1,
			})
			.execute(),
	);
}

async function stored(store: StoreUnderTest) {
	const columns = ["target", "project_id", "trace_row_id", "name", "label"] as const;
	return await store.db.read.selectFrom("annotations").select(columns).orderBy("name").execute();
}

const ALL = ["span", "trace", "session", "document"] as const;

export function conformsInAnnotations(open: OpenStore): void {
	const deletions: readonly [what: string, left: number, run: (store: StoreUnderTest) => Promise<unknown>][] = [
		[
			"the span",
			2,
			async (store) => {
				const [span] = await store.traces.findSpansBySpanId(spanHex(1));
				await store.traces.deleteSpan(span?.summary.id ?? 0);
			},
		],
		[
			"the trace",
			1,
			async (store) => {
				const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)]);
				await store.traces.deleteTrace(trace?.id ?? 0);
			},
		],
		[
			"the session",
			0,
			async (store) => {
				const [session] = await store.traces.findSessionsBySessionId("s");
				await store.traces.deleteSession(session?.id ?? 0);
			},
		],
		[
			"its time",
			0,
			async (store) => store.traces.deleteTracesBetween(await projectId(store), HOUR_0 - 1, HOUR_0 + 1_000_000),
		],
		["the project", 0, async (store) => store.traces.deleteProject(await projectId(store))],
	];
	for (const [what, left, run] of deletions)
		it(`deletes annotations with ${what}`, async () => {
			await using store = await open();
			await store.writer.write([testSpan({ span: 1, session: "s" }), testSpan({ span: 2, parent: 1, start: 1 })], []);
			for (const on of ALL) await insertAnnotation(store, { on, session: "s", name: on });
			await run(store);
			expect(await stored(store)).toHaveLength(left);
		});

	it("deletes the annotations of a very large trace", async () => {
		await using store = await open();
		const spans = Array.from({ length: 2_500 }, (_, index) => testSpan({ span: index + 1, start: index }));
		await store.writer.write(spans, []);
		for (const on of ["span", "trace"] as const) await insertAnnotation(store, { on, name: on, span: 2_000 });
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)]);
		await store.traces.deleteTrace(trace?.id ?? 0);
		expect(await stored(store)).toEqual([]);
	});

	it("moves annotations with their trace, and those of a session with its last trace", async () => {
		await using store = await open();
		const spans = [testSpan({ trace: 1, session: "s" }), testSpan({ trace: 2, span: 2, session: "s" })];
		await store.writer.write([...spans, testSpan({ trace: 3, span: 3, project: "other" })], []);
		const [from, to] = [await projectId(store), await projectId(store, "other")];
		for (const on of ALL) await insertAnnotation(store, { on, session: "s", name: on });
		const [first] = await store.traces.findTracesByTraceIds([traceHex(1)], from);
		const [second] = await store.traces.findTracesByTraceIds([traceHex(2)], from);
		await store.traces.transferTraces([first?.id ?? 0], to);
		const moved = { project_id: to, trace_row_id: first?.id };
		expect(await stored(store)).toMatchObject([
			{ target: "document", ...moved },
			{ target: "session", project_id: from, trace_row_id: null },
			{ target: "span", ...moved },
			{ target: "trace", ...moved },
		]);
		await store.traces.transferTraces([second?.id ?? 0], to);
		expect((await stored(store)).map((row) => row.project_id)).toEqual([to, to, to, to]);
		expect(await allSessions(store, from)).toEqual([]);
	});

	for (const [newer, updated] of [
		["moved", 9],
		["present", 1],
	] as const)
		it(`keeps the newer of two annotations when traces merge: the ${newer} one`, async () => {
			await using store = await open();
			await store.writer.write(
				[
					testSpan({ span: 1, session: "s" }),
					testSpan({ span: 2, parent: 1, start: 1 }),
					testSpan({ span: 1, session: "s", project: "other" }),
				],
				[],
			);
			const [from, to] = [await projectId(store), await projectId(store, "other")];
			for (const on of ALL) {
				await insertAnnotation(store, { on, session: "s", name: on, label: "moved", updated });
				await insertAnnotation(store, { on, session: "s", name: on, label: "present", updated: 5, project: "other" });
			}
			await insertAnnotation(store, { on: "span", span: 2, name: "only here", label: "moved" });
			const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)], from);
			const [target] = await store.traces.findTracesByTraceIds([traceHex(1)], to);
			await store.traces.transferTraces([trace?.id ?? 0], to);
			const of = (name: string, trace_row_id: number | null | undefined, label: string = newer) => ({
				target: name === "only here" ? "span" : name,
				name,
				label,
				project_id: to,
				trace_row_id,
			});
			expect(await stored(store)).toEqual([
				of("document", target?.id),
				of("only here", target?.id, "moved"),
				of("session", null),
				of("span", target?.id),
				of("trace", target?.id),
			]);
		});

	it("keeps an annotated session when its trace turns out to belong to another", async () => {
		await using store = await open();
		const child = testSpan({ span: 2, parent: 1, start: 5, session: "first" });
		await store.writer.write([child], []);
		await insertAnnotation(store, { on: "session", session: "first", name: "kept" });
		await store.writer.write([testSpan({ span: 1, session: "second" })], []);
		expect(
			(await allSessions(store, await projectId(store))).map((session) => [session.sessionId, session.traceCount]),
		).toEqual([
			["first", 0],
			["second", 1],
		]);
		expect(await stored(store)).toMatchObject([{ name: "kept" }]);
	});
}

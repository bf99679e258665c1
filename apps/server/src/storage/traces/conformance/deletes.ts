import { expect, it } from "vitest";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, spanHex, testLog, testSpan, traceHex } from "../test-spans.ts";
import { distinct, identityOf } from "../test-totals.ts";
import type { TraceChange } from "../trace-store.ts";
import { batches, randomFrom, randomSpans, shuffled } from "./random-spans.ts";
import { readSpend } from "./read-spend.ts";
import { allSessions, allSpans, allTraces, expectTotals, type OpenStore, projectId } from "./store-under-test.ts";

/** @param rounds changes of each seed, of which every fourth is of the same kind; half as many deletes of lists */
export function conformsInDeletes(open: OpenStore, seeds: readonly number[] = [1, 2, 3], rounds = 8): void {
	for (const seed of seeds)
		it(`keeps every total right while spans and traces are deleted and moved (seed ${seed})`, async () => {
			const random = randomFrom(seed);
			await using store = await open();
			let spans = distinct(randomSpans(random, 120, ["default", "other"]));
			for (const batch of batches(shuffled(spans, random), 30, random)) await store.writer.write(batch, []);
			const [from, to] = [await projectId(store), await projectId(store, "other")];
			for (let round = 0; round < rounds; round += 1) {
				const rows = await allSpans(store, from);
				const row = rows[Math.floor(random() * rows.length)];
				const traces = await allTraces(store, from);
				const trace = traces[Math.floor(random() * traces.length)];
				if (row === undefined || trace === undefined) break;
				if (round % 4 === 3) {
					expect(await store.traces.transferTraces([trace.id], to)).toBe(1);
					spans = moved(spans, trace.traceId);
				} else if (round % 4 === 2) {
					expect(await store.traces.deleteTrace(trace.id)).toBe(true);
					spans = spans.filter((span) => span.projectName !== "default" || span.traceId !== trace.traceId);
				} else {
					expect(await store.traces.deleteSpan(row.id)).toBe(true);
					const identity = `default ${row.traceId} ${row.spanId} ${row.start.micros} ${row.start.nanos}`;
					spans = spans.filter((span) => identityOf(span) !== identity);
				}
				await expectTotals(store, spans, ["default", "other"]);
			}
			for (const { summary, content } of (
				await store.traces.listStoredSpans({ projectId: to, sort: "id", order: "asc", limit: 1_000 })
			).items) {
				const identity = `other ${summary.traceId} ${summary.spanId} ${summary.start.micros} ${summary.start.nanos}`;
				const sent = spans.find((span) => identityOf(span) === identity);
				expect(content.span).toEqual(sent && new Uint8Array(sent.bytes));
			}
		});

	it("keeps every total right while lists of spans and traces are deleted, and what was spent as it was", async () => {
		const random = randomFrom(4);
		await using store = await open();
		let spans = distinct(randomSpans(random, 160, ["default", "other"]));
		for (const batch of batches(shuffled(spans, random), 40, random)) await store.writer.write(batch, []);
		const [here, other] = [await projectId(store), await projectId(store, "other")];
		const spent = await readSpend(store, here, "all");
		expect(spent).toEqual(await readSpend(store, here));
		const goOn = async () => true;
		for (let round = 0; round < rounds / 2; round += 1) {
			const rows = (await allSpans(store, here)).filter(() => random() < 0.3);
			const gone = new Set(
				rows.map((row) => `default ${row.traceId} ${row.spanId} ${row.start.micros} ${row.start.nanos}`),
			);
			const ids = rows.map(({ id }) => id);
			await store.traces.deleteSpans(other, ids, goOn);
			await expectTotals(store, spans, ["default", "other"]);
			await store.traces.deleteSpans(here, [...ids, 999_999], goOn);
			spans = spans.filter((span) => !gone.has(identityOf(span)));
			await expectTotals(store, spans, ["default", "other"]);
		}
		const traces = (await allTraces(store, here)).slice(0, 2);
		const traceIds = new Set(traces.map(({ traceId }) => traceId));
		await store.traces.deleteTraces(
			other,
			traces.map(({ id }) => id),
			goOn,
		);
		await expectTotals(store, spans, ["default", "other"]);
		await store.traces.deleteTraces(
			here,
			traces.map(({ id }) => id),
			goOn,
		);
		spans = spans.filter((span) => span.projectName !== "default" || !traceIds.has(span.traceId));
		await expectTotals(store, spans, ["default", "other"]);
		expect((await allSessions(store, here)).every(({ traceCount }) => traceCount > 0)).toBe(true);
		expect(await readSpend(store, here, "all")).toEqual(spent);
		await store.traces.deleteProject(here);
		expect(await readSpend(store, here)).toEqual({});
		expect(await readSpend(store, here, "all")).toEqual(spent);
		const gone = await store.db.read.selectFrom("spend_projects").select(["id", "name"]).execute();
		expect(gone).toEqual([{ id: here, name: "default" }]);
	});

	it("deletes a list in batches, which end when nobody wants more", async () => {
		await using store = await open();
		const sizes = [1_500, 1_500, 2_500];
		const spans = sizes.flatMap((size, trace) =>
			Array.from({ length: size }, (_, span) => testSpan({ trace: trace + 1, span: span + 1, start: span })),
		);
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const ids = (await allTraces(store, project)).map(({ id }) => id);
		let batchesSeen = 0;
		await store.traces.deleteTraces(project, ids, async () => {
			batchesSeen += 1;
			return false;
		});
		expect(batchesSeen).toBe(1);
		expect((await allTraces(store, project)).length).toBe(2);
		const left = (await allSpans(store, project)).map(({ id }) => id);
		await store.traces.deleteSpans(project, left, async () => true);
		expect(await allSpans(store, project)).toEqual([]);
		expect(await allTraces(store, project)).toEqual([]);
	});

	it("deletes log records with spans of a list, and counts what is deleted with it before", async () => {
		await using store = await open();
		const log = (trace: number, span: number) => testLog({ trace, span, content: `${trace} ${span}` });
		const spans = [1, 2, 3].map((span) => testSpan({ span, start: span, session: "s" }));
		await store.writer.write([...spans, testSpan({ trace: 2 })], [log(1, 1), log(1, 2), log(2, 1)]);
		const project = await projectId(store);
		const traces = await allTraces(store, project);
		const [session] = await allSessions(store, project);
		const count = async (kind: "span" | "trace" | "session", ids: readonly (number | undefined)[]) =>
			await store.traces.countDependents(
				kind,
				ids.flatMap((id) => id ?? []),
			);
		expect(
			await count(
				"trace",
				traces.map(({ id }) => id),
			),
		).toEqual({ annotations: 0, logRecords: 3 });
		expect(await count("session", [session?.id])).toEqual({ annotations: 0, logRecords: 2 });
		expect(
			await count(
				"span",
				(await allSpans(store, project)).map(({ id }) => id),
			),
		).toEqual({
			annotations: 0,
			logRecords: 3,
		});
		const ofTwo = await store.traces.findSpansBySpanId(spanHex(2));
		await store.traces.deleteSpans(
			project,
			ofTwo.map(({ summary }) => summary.id),
			async () => true,
		);
		expect(
			await count(
				"trace",
				traces.map(({ id }) => id),
			),
		).toEqual({ annotations: 0, logRecords: 2 });
	});

	it("deletes one span and keeps its children", async () => {
		await using store = await open();
		const spans = [
			testSpan({ span: 1, tokens: { prompt: 9 } }),
			testSpan({ span: 2, parent: 1, start: 1, tokens: { prompt: 4 }, status: 2 }),
			testSpan({ span: 3, parent: 2, start: 2 }),
		];
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const [, second] = await allSpans(store, project);
		expect(await store.traces.deleteSpan(second?.id ?? 0)).toBe(true);
		expect(await store.traces.deleteSpan(second?.id ?? 0)).toBe(false);
		expect(await store.traces.findSpan(second?.id ?? 0)).toBeUndefined();
		expect(await allTraces(store, project)).toMatchObject([{ spanCount: 2, errorCount: 0, tokens: { prompt: 9 } }]);
		const [third] = await store.traces.findSpansBySpanId(spanHex(3));
		expect(third?.summary.parentSpanId).toBe(spanHex(2));
		expect(third?.content.span).toEqual(new Uint8Array(spans[2]?.bytes ?? []));
	});

	it("deletes a trace with its last span, and keeps its session without totals", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ session: "s", tokens: { prompt: 4 }, input: "hello" })], []);
		const project = await projectId(store);
		const [span] = await allSpans(store, project);
		expect(await store.traces.deleteSpan(span?.id ?? 0)).toBe(true);
		expect(await allTraces(store, project)).toEqual([]);
		expect(await allSessions(store, project)).toMatchObject([
			{ sessionId: "s", traceCount: 0, spanCount: 0, tokens: { total: 0 }, totalCost: null, firstInput: null },
		]);
		await store.writer.write([testSpan({ session: "s", start: 50 })], []);
		expect(await allSessions(store, project)).toMatchObject([{ traceCount: 1, start: { micros: HOUR_0 + 50 } }]);
	});

	it("deletes the traces of a time range, and sessions that become empty", async () => {
		await using store = await open();
		const spans = Array.from({ length: 40 }, (_, index) =>
			testSpan({ trace: index + 1, start: index, session: index < 30 ? "old" : `s${index}` }),
		);
		await store.writer.write(spans, []);
		const project = await projectId(store);
		expect(await store.traces.deleteTracesBetween(project, HOUR_0, HOUR_0 + 30)).toBe(30);
		await expectTotals(store, spans.slice(30));
		expect(await allSessions(store, project)).toHaveLength(10);
		expect(await store.traces.findSessionsBySessionId("old")).toEqual([]);
	});

	it("deletes a session with its traces", async () => {
		await using store = await open();
		const kept = testSpan({ trace: 3, session: "b" });
		await store.writer.write([testSpan({ trace: 1, session: "a" }), testSpan({ trace: 2, session: "a" }), kept], []);
		const [session] = await store.traces.findSessionsBySessionId("a");
		expect(await store.traces.deleteSession(session?.id ?? 0)).toBe(true);
		expect(await store.traces.deleteSession(session?.id ?? 0)).toBe(false);
		await expectTotals(store, [kept]);
	});

	it("deletes a project with its content, and does not reuse row numbers", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ project: "gone", session: "s" }), testSpan({})], []);
		const gone = await projectId(store, "gone");
		const [span] = await allSpans(store, gone);
		expect(await store.traces.deleteProject(gone)).toBe(true);
		expect(await store.traces.deleteProject(gone)).toBe(false);
		expect(await store.traces.findTracesByTraceIds([traceHex(1)])).toHaveLength(1);
		expect(
			await store.traces.metrics({ projectId: gone, startMicros: 0, endMicros: 2 * HOUR_0, bucket: "day" }),
		).toEqual([]);
		await store.writer.write([testSpan({ project: "gone", trace: 5 })], []);
		const again = await projectId(store, "gone");
		expect(again).toBeGreaterThan(gone);
		const [later] = await allSpans(store, again);
		expect(later?.id).toBeGreaterThan(span?.id ?? Number.NaN);
		expect(later?.traceRowId).toBeGreaterThan(span?.traceRowId ?? Number.NaN);
	});

	it("deletes a very large trace step by step, while new spans of its id start a new trace", async () => {
		await using store = await open();
		const spans = Array.from({ length: 4_500 }, (_, index) =>
			testSpan({ span: index + 1, start: index, session: "s" }),
		);
		const other = testSpan({ trace: 2 });
		await store.writer.write([...spans, other], []);
		const project = await projectId(store);
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)]);
		const deleting = store.traces.deleteTrace(trace?.id ?? 0);
		const late = testSpan({ span: 1, start: 0, session: "s" });
		await store.writer.write([late], []);
		expect(await deleting).toBe(true);
		const left = await store.traces.findTracesByTraceIds([traceHex(1)]);
		// The late span came before or after the trace was detached.
		await expectTotals(store, left.length === 0 ? [other] : [other, late]);
		expect(await allSpans(store, project)).toHaveLength(left.length + 1);
	});

	it("hides a very large trace while it is being deleted", async () => {
		await using store = await open();
		await store.writer.write(
			Array.from({ length: 2_001 }, (_, index) => testSpan({ span: index + 1, start: index })),
			[],
		);
		const project = await projectId(store);
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)]);
		const rule = { projectId: project, beforeMicros: HOUR_0 + 1, keepAnnotated: false };
		await store.traces.deleteExpired(rule, async () => false);
		expect(await store.traces.findEntitiesById("span", [spanHex(1)])).toEqual([]);
		expect(await store.traces.findEntities("trace", [trace?.id ?? 0])).toEqual([]);
		expect(await store.traces.findTracesByTraceIds([traceHex(1)])).toEqual([]);
		expect(await store.traces.findTrace(trace?.id ?? 0)).toBeUndefined();
		expect(await store.traces.findTraces([trace?.id ?? 0])).toEqual([]);
		expect(await store.traces.findTracesByTraceIds([traceHex(1)], -project)).toEqual([]);
	});

	it("moves traces with their sessions and merges with a trace of the same id", async () => {
		await using store = await open();
		const twin = { trace: 1, span: 1, session: "s", tokens: { prompt: 3 } };
		await store.writer.write(
			[
				testSpan(twin),
				testSpan({ trace: 1, span: 2, parent: 1, start: 1 }),
				testSpan({ trace: 2, span: 5, session: "s" }),
				testSpan({ ...twin, project: "other" }),
				testSpan({ trace: 1, span: 3, project: "other", start: 2 }),
			],
			[],
		);
		const [from, to] = [await projectId(store), await projectId(store, "other")];
		const ids = (await allTraces(store, from)).map((trace) => trace.id);
		expect(await store.traces.transferTraces(ids, to)).toBe(2);
		expect(await allTraces(store, from)).toEqual([]);
		expect(await allSessions(store, from)).toEqual([]);
		await expectTotals(
			store,
			[
				testSpan({ ...twin, project: "other" }),
				testSpan({ trace: 1, span: 2, parent: 1, start: 1, project: "other" }),
				testSpan({ trace: 2, span: 5, session: "s", project: "other" }),
				testSpan({ trace: 1, span: 3, project: "other", start: 2 }),
			],
			["default", "other"],
		);
	});

	it("tells listeners what was deleted or moved", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ trace: 1 }), testSpan({ trace: 2, project: "other" })], []);
		const seen: TraceChange[] = [];
		const stop = store.traces.onChange((change) => seen.push(change));
		const [trace] = await allTraces(store, await projectId(store));
		const other = await projectId(store, "other");
		await store.traces.transferTraces([trace?.id ?? 0], other);
		expect(seen).toContainEqual({ projectId: other, traceRowIds: [trace?.id] });
		await store.traces.deleteTrace(trace?.id ?? 0);
		expect(seen.at(-1)).toEqual({ projectId: other, traceRowIds: [trace?.id] });
		stop();
		await store.traces.deleteProject(other);
		expect(seen).toHaveLength(3);
	});
}

/** Spans of a trace after it moved from "default" to "other"; spans that the destination has already stay. */
function moved(spans: readonly NormalizedSpan[], traceId: string): NormalizedSpan[] {
	const isMoving = (span: NormalizedSpan) => span.projectName === "default" && span.traceId === traceId;
	const staying = spans.filter((span) => !isMoving(span));
	return distinct([...staying, ...spans.filter(isMoving).map((span) => ({ ...span, projectName: "other" }))]);
}

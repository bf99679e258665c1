import { expect, it } from "vitest";
import type { EntityKind } from "../entity.ts";
import { HOUR_0, spanHex, testSpan, traceHex } from "../test-spans.ts";
import { HOUR_MICROS } from "../totals/hour-changes.ts";
import { allTraces, type OpenStore, projectId, type StoreUnderTest } from "./store-under-test.ts";

const KINDS: readonly EntityKind[] = ["span", "trace", "session"];

/** What annotations, datasets and experiments need to know about the spans, traces and sessions that they refer to. */
export function entitySuite(open: OpenStore): void {
	it("finds spans, traces and sessions by ids and by row numbers, in every project", async () => {
		await using store = await open();
		const [one, two] = [testSpan({ span: 1, session: "s" }), testSpan({ span: 2, project: "other", session: "s" })];
		await store.writer.write([one, two, testSpan({ span: 1, trace: 2 })], []);
		const found = {
			span: await store.traces.findEntitiesById("span", [spanHex(1), spanHex(2), spanHex(3), "no hex", ""]),
			trace: await store.traces.findEntitiesById("trace", [traceHex(1), traceHex(3), "no hex", ""]),
			session: await store.traces.findEntitiesById("session", ["s", "none", ""]),
		};
		const [here, other] = [await projectId(store), await projectId(store, "other")];
		expect(found.span.map(({ id, traceId, projectId }) => [id, traceId, projectId]).toSorted()).toEqual([
			[spanHex(1), traceHex(1), here],
			[spanHex(1), traceHex(2), here],
			[spanHex(2), traceHex(1), other],
		]);
		expect(found.trace.map(({ id, traceId, projectId }) => [id, traceId, projectId])).toEqual([
			[traceHex(1), traceHex(1), here],
			[traceHex(1), traceHex(1), other],
		]);
		expect(found.session.map(({ id, traceRowId, projectId }) => [id, traceRowId, projectId])).toEqual([
			["s", null, here],
			["s", null, other],
		]);
		for (const kind of KINDS) {
			const rowIds = found[kind].map(({ rowId }) => rowId);
			const byRow = await store.traces.findEntities(kind, [...rowIds, 999_999]);
			expect(byRow.toSorted((a, b) => a.rowId - b.rowId)).toEqual(found[kind].toSorted((a, b) => a.rowId - b.rowId));
			expect(await store.db.write((transaction) => store.traces.findEntities(kind, rowIds, transaction))).toEqual(
				byRow,
			);
			const backwards = await store.traces.findEntities(kind, rowIds.toReversed());
			expect(backwards.map(({ rowId }) => rowId)).toEqual(rowIds.toReversed());
			expect(await store.traces.findEntities(kind, [])).toEqual([]);
		}
		const held = await store.db.write((transaction) =>
			store.traces.holdSpans(transaction, [...found.span.map(({ rowId }) => rowId), 999_999]),
		);
		expect([...held].toSorted()).toEqual(found.span.map(({ rowId }) => rowId).toSorted());
	});

	it("gives the row number of a trace's root span, also when the root comes late", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ span: 2, parent: 1, start: 5 })], []);
		await store.writer.write([testSpan({ span: 1 })], []);
		const [trace] = await allTraces(store, await projectId(store));
		const [root] = await store.traces.findEntities("span", [trace?.rootSpanRowId ?? 0]);
		expect(root).toMatchObject({ id: trace?.rootSpanId, traceRowId: trace?.id });
	});

	it("finds several traces by their ids at once, in one project or in all", async () => {
		await using store = await open();
		const spans = [testSpan({}), testSpan({ trace: 2 }), testSpan({ trace: 2, project: "other" })];
		await store.writer.write(spans, []);
		const ids = [traceHex(1), traceHex(2), traceHex(3)];
		expect(await store.traces.findTracesByTraceIds(ids)).toHaveLength(3);
		const ofProject = await store.traces.findTracesByTraceIds(ids, await projectId(store, "other"));
		expect(ofProject.map(({ traceId }) => traceId)).toEqual([traceHex(2)]);
		expect(await store.traces.findTracesByTraceIds([])).toEqual([]);
	});

	it("computes the totals of projects, counting tokens once", async () => {
		await using store = await open();
		const tokens = { prompt: 3, completion: 4, total: 7 };
		await store.writer.write(
			[
				testSpan({ span: 1, tokens, kind: "LLM" }),
				testSpan({ span: 2, parent: 1, start: 1, tokens, kind: "LLM" }),
				testSpan({ project: "other", kind: "LLM", cost: { total: 0.25, source: "sent" } }),
			],
			[],
		);
		const [here, other] = [await projectId(store), await projectId(store, "other")];
		const totals = await store.traces.findProjectTotals([here, other]);
		expect(totals.get(here)).toEqual({ tokens: 7, cost: null });
		expect(totals.get(other)).toEqual({ tokens: 0, cost: 0.25 });
	});

	it("tells what projects did in the last hours, and when their newest trace started", async () => {
		await using store = await open();
		const tokens = { prompt: 3, completion: 4, total: 7 };
		await store.writer.write(
			[
				testSpan({ span: 1, start: -HOUR_MICROS, tokens, kind: "LLM", cost: { total: 0.25, source: "sent" } }),
				testSpan({ trace: 2, span: 2, start: 5, status: 2 }),
				testSpan({ trace: 3, span: 3, start: 6 }),
				testSpan({ trace: 4, span: 4, start: -24 * HOUR_MICROS }),
				testSpan({ project: "other", start: -30 * HOUR_MICROS }),
			],
			[],
		);
		const [here, other] = [await projectId(store), await projectId(store, "other")];
		const activity = await store.traces.findProjectActivity([here, other, 4711], HOUR_0 + 7, 24);
		const startMicros = HOUR_0 - 23 * HOUR_MICROS;
		const quiet = new Array<number>(22).fill(0);
		const latencyMs = { p50: expect.closeTo(1, 1), p95: expect.closeTo(1, 1) };
		const day = { startMicros, spans: [...quiet, 1, 2], errors: [...quiet, 0, 1], tokens: 7, cost: 0.25, latencyMs };
		expect(activity.get(here)).toEqual({ ...day, newestTraceMicros: HOUR_0 + 6 });
		const none = { spans: [...quiet, 0, 0], errors: [...quiet, 0, 0], tokens: 0, cost: 0, latencyMs: undefined };
		expect(activity.get(other)).toEqual({ ...none, startMicros, newestTraceMicros: HOUR_0 - 30 * HOUR_MICROS });
		expect(activity.has(4711)).toBe(false);
		expect(await store.traces.findProjectActivity([], HOUR_0, 24)).toEqual(new Map());
	});

	it("finds annotations whose target has arrived", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ trace: 9, span: 9, session: "nine" })], []);
		const before = await store.traces.readArrivals();
		const waiting = new Map([
			[await insertWaiting(store, "span", spanHex(1)), "span"],
			[await insertWaiting(store, "document", spanHex(1)), "span"],
			[await insertWaiting(store, "trace", traceHex(1)), "trace"],
			[await insertWaiting(store, "session", "one"), "session"],
		]);
		const late = await insertWaiting(store, "span", spanHex(2));
		await store.writer.write([testSpan({ session: "one" })], []);
		const until = await store.traces.readArrivals();
		for (const kind of KINDS) {
			const expected = [...waiting].flatMap(([id, of]) => (of === kind ? [id] : []));
			for (const since of [before, undefined]) {
				const found = await store.traces.findArrived(kind, { since, until, afterId: 0, limit: 10 });
				// A store may return all annotations that wait for this kind.
				expect(found.filter((id) => id !== late)).toEqual(expected);
				const [first, second] = await store.traces.findArrived(kind, { since, until, afterId: 0, limit: 1 });
				expect([first, second]).toEqual([expected[0], undefined]);
			}
			const later = { since: before, until, afterId: expected.at(-1) ?? 0, limit: 10 };
			expect(await store.traces.findArrived(kind, later)).toEqual([]);
		}
	});
}

async function insertWaiting(
	{ db }: StoreUnderTest,
	target: "span" | "document" | "trace" | "session",
	targetId: string,
): Promise<number> {
	const row = { target, target_id: targetId, sent_target_id: null, project_id: 0, name: "n", identifier: "" };
	const said = { annotator_kind: "HUMAN", label: null, score: 1, explanation: null, metadata: "{}" } as const;
	const { id } = await db.write((transaction) =>
		transaction
			.insertInto("waiting_annotations")
			.values({
				...{ ...row, ...said, source: "API", user_id: null, reason: null, created_at: 1 },
				document_position: target === "document" ? 0 : -1,
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return id;
}

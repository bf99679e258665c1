import { expect, it } from "vitest";
import { toSpanOutline } from "../rows/span-outlines.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, spanHex, type TestSpan, testSpan, traceHex } from "../test-spans.ts";
import type {
	Order,
	SessionSort,
	SessionSummary,
	SpanFilter,
	SpanSort,
	SpanSummary,
	SpanTotals,
	TraceFilter,
	TraceSort,
	TraceSummary,
} from "../trace-store.ts";
import { insertAnnotation } from "./annotations.ts";
import { batches, randomFrom, shuffled } from "./random-spans.ts";
import { allPages, allSpans, allTraces, type OpenStore, projectId, type StoreUnderTest } from "./store-under-test.ts";

const ORDERS: readonly Order[] = ["asc", "desc"];

/** @param limits how much pages hold, of what is sorted by a key and by scores; each page asks the database several times */
export function conformsInLists(
	open: OpenStore,
	limits: { readonly sorted: number; readonly scored: readonly number[] } = { sorted: 4, scored: [1, 3, 50] },
): void {
	it("pages through every list without skipping or repeating, ties included", async () => {
		await using store = await open();
		const random = randomFrom(5);
		const spans = Array.from({ length: 97 }, (_, index) =>
			testSpan({
				trace: 1 + (index % 31),
				span: index + 1,
				start: Math.floor(random() * 6),
				duration: 1_000 * Math.floor(random() * 4),
				session: `s${(index % 31) % 7}`,
				...(index % 2 === 0 ? { parent: index, model: "gpt-4o", cost: { total: random() / 7, source: "sent" } } : {}),
				...(index % 3 === 0
					? {
							name: `"step"\n${index} 世界 ${index % 2 ? "\u0007\0" : "🔥".repeat(index * 50)}`,
							status: 2,
							tokens: { total: index },
						}
					: {}),
			}),
		);
		for (const batch of batches(shuffled(spans, random), 20, random)) await store.writer.write(batch, []);
		const project = await projectId(store);
		for (const order of ORDERS) {
			const sign = order === "asc" ? 1 : -1;
			for (const sort of ["id", "start_time"] as const) {
				const key = (row: { id: number; start: { micros: number } }) => (sort === "id" ? row.id : row.start.micros);
				const rows = await allPages((from) =>
					store.traces.listSpans({ projectId: project, sort, order, limit: 10, ...(from ? { from } : {}) }),
				);
				expect(new Set(rows.map((row) => row.id)).size).toBe(97);
				expect(rows).toEqual(rows.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id)));
				const sessions = await allPages((from) =>
					store.traces.listSessions({ projectId: project, sort, order, limit: 2, ...(from ? { from } : {}) }),
				);
				expect(sessions).toHaveLength(7);
				expect(sessions).toEqual(sessions.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id)));
			}
			for (const sort of ["start_time", "latency_ms"] as const) {
				const rows = await allPages((after) =>
					store.traces.listTraces({ projectId: project, sort, order, limit: 4, ...(after ? { after } : {}) }),
				);
				const key = (row: (typeof rows)[number]) =>
					sort === "start_time" ? row.start.micros : row.end.micros - row.start.micros;
				expect(new Set(rows.map((row) => row.id)).size).toBe(31);
				expect(rows).toEqual(rows.toSorted((a, b) => sign * (key(a) - key(b) || a.id - b.id)));
			}
		}
		const [trace] = await allTraces(store, project);
		const ofTrace = await allPages((after) =>
			store.traces.listTraceSpans(trace?.id ?? 0, { limit: 2, ...(after ? { after } : {}) }),
		);
		expect(ofTrace).toHaveLength(trace?.spanCount ?? 0);
		expect(ofTrace).toEqual(ofTrace.toSorted((a, b) => a.start.micros - b.start.micros || a.id - b.id));
		const outlines = await allPages((after) =>
			store.traces.listSpanOutlines(trace?.id ?? 0, { limit: 2, ...(after ? { after } : {}) }),
		);
		expect(outlines).toEqual(ofTrace.map(toSpanOutline));
		const { items } = await store.traces.listStoredSpans({
			...{ projectId: project, sort: "start_time", order: "asc", limit: 100 },
			traceIds: [trace?.traceId ?? ""],
		});
		// Whoever asks reads it otherwise where it does not come along.
		const { contents } = await store.traces.listTraceSpans(trace?.id ?? 0, { limit: 100, mostContentBytes: 1_000_000 });
		const found = new Map(items.map(({ summary, content }) => [summary.id, content]));
		if (contents !== undefined) expect(contents).toEqual(found);
		const few = await store.traces.listTraceSpans(trace?.id ?? 0, { limit: 100, mostContentBytes: 1 });
		if (items.length > 1) expect(few.contents).toBeUndefined();
	});

	it("sorts by every key with pages of any size, ties by row number, and what has no value last", async () => {
		await using store = await open();
		const random = randomFrom(11);
		const upTo = (most: number) => Math.floor(random() * most);
		const spans = Array.from({ length: 83 }, (_, index) =>
			testSpan({
				trace: 1 + (index % 29),
				span: index + 1,
				start: upTo(6),
				duration: 1_000 * upTo(4),
				session: `s${(index % 29) % 9}`,
				status: index % 3 === 0 ? 2 : 0,
				...(random() < 0.5 ? { tokens: { total: 10 * upTo(4) } } : {}),
				...(random() < 0.4 ? { cost: { total: upTo(4) / 7, source: "sent" } as const } : {}),
			}),
		);
		for (const batch of batches(shuffled(spans, random), 20, random)) await store.writer.write(batch, []);
		const project = await projectId(store);
		const isSorted = <Row extends { readonly id: number }>(
			rows: readonly Row[],
			order: Order,
			value: (row: Row) => number | null,
			count: number,
		) => {
			const sign = order === "asc" ? 1 : -1;
			const compare = (a: Row, b: Row) => {
				const [first, second] = [value(a), value(b)];
				if (first === null || second === null)
					return Number(first === null) - Number(second === null) || sign * (a.id - b.id);
				return sign * (first - second || a.id - b.id);
			};
			expect(rows.map(({ id }) => id)).toEqual(rows.toSorted(compare).map(({ id }) => id));
			expect(new Set(rows.map(({ id }) => id)).size).toBe(count);
			expect(rows).toHaveLength(count);
		};
		const latency = (row: Pick<SpanSummary, "start" | "end">) => row.end.micros - row.start.micros;
		const totals = {
			total_cost: (row: SpanTotals) => row.totalCost,
			token_count_total: (row: SpanTotals) => row.tokens.total,
			error_count: (row: SpanTotals) => row.errorCount,
			span_count: (row: SpanTotals) => row.spanCount,
		};
		const ofTraces = { latency_ms: latency, ...totals };
		const ofSessions = {
			end_time: (row: SessionSummary) => row.end.micros,
			trace_count: (row: SessionSummary) => row.traceCount,
			...totals,
		};
		const ofSpans = {
			latency_ms: latency,
			total_cost: (row: SpanSummary) => row.cost?.total ?? null,
			token_count_total: (row: SpanSummary) => row.tokens.total ?? null,
			status_code: (row: SpanSummary) => row.statusCode,
		};
		const filters: (SpanFilter & TraceFilter)[] = [
			{},
			{ startMicros: HOUR_0, endMicros: HOUR_0 + 4, error: true },
			{ text: "broke" },
		];
		for (const [index, filter] of filters.entries()) {
			const all = { projectId: project, order: "asc", limit: 100, ...filter } as const;
			const traces = (await store.traces.listTraces({ ...all, sort: "start_time" })).items.length;
			const found = (await store.traces.listSpans({ ...all, sort: "id" })).items.length;
			const sessions = (await store.traces.listSessions({ ...all, sort: "id" })).items.length;
			expect(Math.min(traces, found, sessions)).toBeGreaterThan(4);
			// A filter selects the same in either order.
			for (const order of index === 0 ? ORDERS : ORDERS.slice(index - 1, index)) {
				const page = { ...all, order, limit: index === 0 ? limits.sorted : 17 };
				for (const [sort, value] of Object.entries(ofTraces) as [TraceSort, (row: TraceSummary) => number | null][]) {
					const rows = await allPages((after) =>
						store.traces.listTraces({ ...page, sort, ...(after ? { after } : {}) }),
					);
					isSorted(rows, order, value, traces);
				}
				for (const [sort, value] of Object.entries(ofSpans) as [SpanSort, (row: SpanSummary) => number | null][]) {
					const rows = await allPages((from) => store.traces.listSpans({ ...page, sort, ...(from ? { from } : {}) }));
					isSorted(rows, order, value, found);
				}
				for (const [sort, value] of Object.entries(ofSessions) as [
					SessionSort,
					(row: SessionSummary) => number | null,
				][]) {
					const rows = await allPages((from) =>
						store.traces.listSessions({ ...page, sort, ...(from ? { from } : {}) }),
					);
					isSorted(rows, order, value, sessions);
				}
			}
		}
	});

	it("sorts what has a score by the mean of its scores, with filters and pages of any size", async () => {
		await using store = await open();
		const spans = Array.from({ length: 12 }, (_, index) => index + 1).flatMap((trace) => [
			testSpan({ trace, span: 2 * trace, session: `s${trace}`, start: trace, status: trace % 2 === 0 ? 2 : 0 }),
			testSpan({ trace, span: 2 * trace + 1, parent: 2 * trace, start: trace + 1 }),
		]);
		await store.writer.write(spans, []);
		const project = await projectId(store);
		for (let trace = 1; trace <= 10; trace++) {
			const ofTrace = { trace, name: "fit" };
			if (trace % 3 !== 0) await insertAnnotation(store, { ...ofTrace, on: "trace", score: trace % 4 });
			await insertAnnotation(store, { ...ofTrace, on: "span", span: 2 * trace, score: 1.5 });
			// Neither that of another span nor that of a document is the trace's.
			await insertAnnotation(store, { ...ofTrace, on: "span", span: 2 * trace + 1, score: -trace % 5 });
			await insertAnnotation(store, { ...ofTrace, on: "document", span: 2 * trace, score: 100 });
			await insertAnnotation(store, { ...ofTrace, on: "session", session: `s${trace}`, score: trace % 3 });
			await insertAnnotation(store, { ...ofTrace, on: "session", session: `s${trace}`, score: 9, identifier: "b" });
		}
		await insertAnnotation(store, { on: "trace", trace: 11, name: "fit", label: "no score" });
		await insertAnnotation(store, { on: "trace", trace: 12, name: "other", score: 1 });
		const meanOfTrace = (trace: number) => (trace % 3 === 0 ? 1.5 : ((trace % 4) + 1.5) / 2);
		const meanOfSpan = (span: number) => (span % 2 === 0 ? 1.5 : -((span - 1) / 2) % 5);
		const meanOfSession = (session: number) => ((session % 3) + 9) / 2;
		const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);
		const ranked = (numbers: readonly number[], order: Order, mean: (each: number) => number) =>
			numbers.toSorted((a, b) => (order === "asc" ? 1 : -1) * (mean(a) - mean(b) || a - b));
		const sort = "score.fit";
		for (const order of ORDERS) {
			for (const limit of limits.scored) {
				const page = { projectId: project, sort, order, limit } as const;
				const traces = await allPages((after) => store.traces.listTraces({ ...page, ...(after ? { after } : {}) }));
				const sessions = await allPages((from) => store.traces.listSessions({ ...page, ...(from ? { from } : {}) }));
				const found = await allPages((from) => store.traces.listSpans({ ...page, ...(from ? { from } : {}) }));
				const failed = await allPages((from) =>
					store.traces.listStoredSpans({ ...page, error: true, maxContentBytes: 1, ...(from ? { from } : {}) }),
				);
				expect({
					traces: traces.map(({ traceId }) => Number.parseInt(traceId, 16)),
					sessions: sessions.map(({ sessionId }) => Number(sessionId.slice(1))),
					spans: found.map(({ spanId }) => Number.parseInt(spanId, 16)),
					failed: failed.map(({ summary }) => Number.parseInt(summary.spanId, 16)),
				}).toEqual({
					traces: ranked(upTo(10), order, meanOfTrace),
					sessions: ranked(upTo(10), order, meanOfSession),
					spans: ranked(upTo(20, 2), order, meanOfSpan),
					failed: ranked([4, 8, 12, 16, 20], order, meanOfSpan),
				});
			}
		}
	});

	it("neither skips nor repeats existing rows while others write", async () => {
		await using store = await open();
		await store.writer.write(
			Array.from({ length: 60 }, (_, index) => testSpan({ trace: index + 1, start: index })),
			[],
		);
		const project = await projectId(store);
		let next = 100;
		const seen = await allPages(async (after) => {
			const older = testSpan({ trace: next, start: -next });
			const newer = testSpan({ trace: next + 1, start: 1_000 + next });
			next += 2;
			await store.writer.write([older, newer], []);
			const page = await store.traces.listTraces({
				projectId: project,
				sort: "start_time",
				order: "desc",
				limit: 7,
				startMicros: HOUR_0,
				...(after ? { after } : {}),
			});
			return page;
		});
		const first = seen.filter((trace) => trace.start.micros < HOUR_0 + 60);
		expect(first.map((trace) => trace.start.micros - HOUR_0)).toEqual(
			Array.from({ length: 60 }, (_, index) => 59 - index),
		);
	});

	it("finds spans by every filter", async () => {
		await using store = await open();
		const wanted: TestSpan[] = [
			{ trace: 1, span: 1, start: 0, duration: 5_000, kind: "AGENT", name: "root", session: "a", user: "u1" },
			{ trace: 1, span: 2, start: 1, parent: 1, kind: "LLM", model: "m1", status: 2, attributes: { "deep.key": 5 } },
			{
				trace: 1,
				span: 3,
				start: 2,
				parent: 1,
				kind: "TOOL",
				status: 1,
				duration: 90_000,
				attributes: { flag: true, "gen_ai.operation.name": "chat", "gen_ai.response.model": "gpt-9" },
			},
			{
				trace: 2,
				span: 4,
				start: 3,
				kind: "LLM",
				model: "m2",
				user: "u2",
				attributes: { metadata: '{"env":{"name":"prod"}}' },
			},
			{ trace: 3, span: 5, start: 4, parent: 9, name: "other", attributes: { note: "Öl und Zebra", half: 0.5 } },
		];
		await store.writer.write(wanted.map(testSpan), []);
		await store.writer.write([testSpan({ project: "other", trace: 1, span: 1 })], []);
		const cases: [SpanFilter, number[]][] = [
			[{}, [1, 2, 3, 4, 5]],
			[{ startMicros: HOUR_0 + 1, endMicros: HOUR_0 + 3 }, [2, 3]],
			[{ traceIds: [traceHex(1), traceHex(3)] }, [1, 2, 3, 5]],
			[{ traceIds: [] }, []],
			[{ spanIds: [spanHex(2), spanHex(5), spanHex(77)] }, [2, 5]],
			[{ spanIds: [spanHex(2), spanHex(5)], traceIds: [traceHex(3)] }, [5]],
			[{ parentSpanId: null }, [1, 4]],
			[{ parentSpanId: spanHex(1) }, [2, 3]],
			[{ names: ["root", "other"] }, [1, 5]],
			[{ kinds: ["LLM", "TOOL"] }, [2, 3, 4]],
			[{ statusCodes: [1, 2] }, [2, 3]],
			[{ error: true }, [2]],
			[{ error: false }, [1, 3, 4, 5]],
			[{ minLatencyMs: 5 }, [1, 3]],
			[{ maxLatencyMs: 4.9, minLatencyMs: 1 }, [2, 4, 5]],
			[{ userIds: ["u2"] }, [4]],
			[{ models: ["m1", "m2"], kinds: ["LLM"] }, [2, 4]],
			[{ sessionIds: ["a"] }, [1, 2, 3]],
			[{ sessionIds: ["nobody's"] }, []],
			[{ attributes: [{ key: "deep.key", value: 5 }] }, [2]],
			[{ attributes: [{ key: "deep.key", value: "5" }] }, []],
			[{ attributes: [{ key: "flag", value: true }] }, [3]],
			[{ attributes: [{ key: "half", value: 0.5 }] }, [5]],
			[{ attributes: [{ key: "metadata.env.name", value: "prod" }] }, [4]],
			[{ attributes: [{ key: "llm.model_name", value: "gpt-9" }] }, [3]],
			[{ text: "zebra" }, [5]],
			[{ text: "ZEBRA öl" }, [5]],
			[{ text: "ebr" }, [5]],
			[{ text: "zebra prod" }, []],
			[{ text: "it broke" }, [2]],
			[{ text: spanHex(4) }, [4]],
			[{ text: "root" }, [1]],
		];
		for (const [filter, spans] of cases) expect([filter, await spanNumbers(store, filter)]).toEqual([filter, spans]);
		const stored = await store.traces.listStoredSpans({
			projectId: await projectId(store),
			sort: "id",
			order: "desc",
			limit: 2,
		});
		expect(stored.items.map(({ summary }) => summary.spanId)).toEqual([spanHex(5), spanHex(4)]);
		expect(stored.items.map(({ content }) => content.span)).toEqual(
			[wanted[4], wanted[3]].map((span) => new Uint8Array(testSpan(span ?? {}).bytes)),
		);
	});

	it("finds traces and sessions by every filter", async () => {
		await using store = await open();
		const spans: NormalizedSpan[] = [
			testSpan({
				trace: 1,
				span: 1,
				start: 0,
				duration: 5_000,
				name: "first",
				session: "a",
				user: "u1",
				input: "Where is Zebra?",
			}),
			testSpan({ trace: 1, span: 2, start: 1, parent: 1, status: 2, model: "m1" }),
			testSpan({
				trace: 2,
				span: 3,
				start: 10,
				duration: 90_000,
				name: "second",
				session: "b",
				user: "u2",
				model: "m2",
			}),
			testSpan({ trace: 3, span: 4, start: 20, name: "first", session: "b" }),
		];
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const [a, b] = await Promise.all(["a", "b"].map((id) => store.traces.findSessionsBySessionId(id, project)));
		const rowOf = (list: typeof a) => list?.[0]?.id ?? 0;
		const cases: [TraceFilter, number[]][] = [
			[{}, [1, 2, 3]],
			[{ startMicros: HOUR_0 + 10, endMicros: HOUR_0 + 20 }, [2]],
			[{ error: true }, [1]],
			[{ error: false }, [2, 3]],
			[{ minLatencyMs: 5 }, [1, 2]],
			[{ maxLatencyMs: 5 }, [1, 3]],
			[{ names: ["first"] }, [1, 3]],
			[{ userIds: ["u1", "u2"] }, [1, 2]],
			[{ models: ["m1"] }, [1]],
			[{ sessionRowIds: [rowOf(b)] }, [2, 3]],
			[{ sessionRowIds: [] }, []],
			[{ sessionRowIds: [rowOf(a), rowOf(b)], error: true }, [1]],
			[{ text: "zebra" }, [1]],
			[{ text: "zebra nothing" }, []],
		];
		for (const [filter, traces] of cases) {
			const page = await store.traces.listTraces({
				projectId: project,
				sort: "start_time",
				order: "asc",
				limit: 9,
				...filter,
			});
			expect([filter, page.items.map((trace) => Number(trace.traceId))]).toEqual([filter, traces]);
		}
		const sessionsBy = async (filter: object) =>
			(
				await store.traces.listSessions({ projectId: project, sort: "id", order: "asc", limit: 9, ...filter })
			).items.map((session) => session.sessionId);
		expect(await sessionsBy({ userIds: ["u2"] })).toEqual(["b"]);
		expect(await sessionsBy({ error: true })).toEqual(["a"]);
		expect(await sessionsBy({ text: "zebra" })).toEqual(["a"]);
		expect(await sessionsBy({ startMicros: HOUR_0 + 1 })).toEqual(["b"]);
		const traces = await store.traces.listSessionTraces([rowOf(b), rowOf(a)]);
		expect(traces.map((trace) => Number(trace.traceId))).toEqual([1, 2, 3]);
	});
}

async function spanNumbers(store: StoreUnderTest, filter: SpanFilter): Promise<number[]> {
	const project = await projectId(store);
	const byStart = await allPages((from) =>
		store.traces.listSpans({
			projectId: project,
			sort: "start_time",
			order: "asc",
			limit: 2,
			...filter,
			...(from ? { from } : {}),
		}),
	);
	const byRow = { projectId: project, sort: "id", order: "desc", limit: 100, ...filter } as const;
	const byId = await store.traces.listSpans(byRow);
	expect(byId.items.map((span) => span.id)).toEqual(byStart.map((span) => span.id).toReversed());
	const places = await store.traces.listSpanPlaces(byRow);
	expect(places.items).toEqual(
		byId.items.map(({ id, projectId, traceRowId, start }) => ({
			id,
			projectId,
			traceRowId,
			startMicros: start.micros,
		})),
	);
	expect(await allSpans(store, project)).toHaveLength(5);
	return byStart.map((span) => Number.parseInt(span.spanId, 16));
}

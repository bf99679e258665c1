import { parseFilter } from "@spanward/filter-language";
import { decodeSpan } from "@spanward/otlp";
import { expect, it } from "vitest";
import { toSpanOutline } from "../rows/span-outlines.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, spanHex, type TestSpan, testLog, testSpan, traceHex } from "../test-spans.ts";
import { distinct, identityOf } from "../test-totals.ts";
import { batches, randomFrom, randomTestSpans, shuffled } from "./random-spans.ts";
import {
	allPages,
	allSessions,
	allSpans,
	allTraces,
	expectTotals,
	type OpenStore,
	projectId,
	type StoreUnderTest,
} from "./store-under-test.ts";

const PROJECTS = ["default", "other"];
const RUNNING: TestSpan = { name: "answer", isRunning: true, input: "draft", attributes: { stage: "begun" } };
const ENDED: TestSpan = {
	name: "answer",
	duration: 2_000_000,
	kind: "LLM",
	status: 2,
	model: "gpt-4o",
	tokens: { prompt: 7, completion: 5 },
	cost: { total: 0.5, source: "sent" },
	session: "s",
	user: "ada",
	input: "why?",
	output: "because",
};

/** @param largest spans of a batch, for each order, of which there are up to three */
export function conformsInRunningSpans(
	open: OpenStore,
	seeds: readonly number[] = [21, 22, 23],
	largest: readonly number[] = [1, 8, 200],
): void {
	for (const seed of seeds)
		it(`shows what it would if spans had only been sent with their end, in any order (seed ${seed})`, async () => {
			const random = randomFrom(seed);
			const ends = randomTestSpans(random, 120, PROJECTS).map((end) => ({ ...end, isRunning: false }));
			const starts = randomTestSpans(random, 120, PROJECTS).map((start, index) => {
				const end = ends[index] ?? {};
				return random() < 0.5 ? beginningOf(end) : { ...start, ...keyOf(end) };
			});
			const sent = [
				...ends.filter(() => random() < 0.8),
				// Nothing but the identity has to be the same.
				...starts.filter(() => random() < 0.6).map((start) => ({ ...start, isRunning: true })),
			].map(testSpan);
			for (const most of largest) {
				await using store = await open();
				const order = shuffled([...sent, ...sent.filter(() => random() < 0.2)], random);
				for (const batch of batches(order, most, random)) await store.writer.write(batch, []);
				await expectTotals(store, distinct(order), PROJECTS);
				await expectContents(store, distinct(order));
			}
		});

	it("shows what it would of a large trace, whose spans are sent at their start and at their end", async () => {
		const random = randomFrom(31);
		const ends = Array.from(
			{ length: 200 },
			(_, index): TestSpan => ({
				span: index + 1,
				...(index === 0 ? {} : { parent: 1 + Math.floor(random() * index) }),
				start: Math.floor(random() * 1_000),
				duration: 1 + Math.floor(random() * 5_000),
				kind: random() < 0.3 ? "LLM" : "CHAIN",
				status: random() < 0.1 ? 2 : 0,
				...(random() < 0.4 ? { tokens: { prompt: 10, completion: 1 } } : {}),
				...(random() < 0.2 ? { session: "s", user: `u${index}` } : {}),
				...(random() < 0.3 ? { input: `q${index}`, output: `a${index}` } : {}),
			}),
		);
		const [starts, spans] = [ends.map((end) => testSpan(beginningOf(end))), ends.map(testSpan)];
		const interleaved = starts.flatMap((start, index) => [
			start,
			...(index < 20 ? [] : spans.slice(index - 20, index - 19)),
		]);
		const together = [...starts, ...spans];
		for (const order of [shuffled(together, random), interleaved, together].slice(0, largest.length)) {
			await using store = await open();
			for (const batch of batches(order, 40, random)) await store.writer.write(batch, []);
			await expectTotals(store, distinct(order));
			await expectContents(store, distinct(order));
		}
	});

	it("shows a span without an end as running, with no latency, until it is sent again with one", async () => {
		await using store = await open();
		expect(await store.writer.write([testSpan(RUNNING)], [])).toMatchObject({ written: 1 });
		expect(await store.writer.write([testSpan({ ...RUNNING, name: "again" })], [])).toMatchObject({ duplicates: 1 });
		const project = await projectId(store);
		const start = { micros: HOUR_0, nanos: 0 };
		const [running] = await allSpans(store, project);
		expect(running).toMatchObject({ name: "answer", start, end: start, heardMicros: HOUR_0 });
		expect(await allTraces(store, project)).toMatchObject([
			{ spanCount: 1, runningCount: 1, end: start, firstInput: "draft" },
		]);
		const [stored] = await store.traces.findSpansBySpanId(spanHex(1));
		expect(stored && decodeSpan(stored.content.span).endTimeUnixNano).toBe(0n);
		const range = { projectId: project, startMicros: HOUR_0, endMicros: HOUR_0 + 1 };
		for (const bucket of ["minute", "hour"] as const)
			expect(await store.traces.metrics({ ...range, bucket })).toMatchObject([
				{ spanCount: 1, runningCount: 1, latencyMs: null },
			]);

		const result = await store.writer.write([testSpan(ENDED)], []);
		expect(result).toMatchObject({ written: 1, duplicates: 0, changes: [{ projectId: project }] });
		const [ended] = await allSpans(store, project);
		expect(ended).toMatchObject({ id: running?.id, statusCode: 2, model: "gpt-4o", sessionId: "s" });
		expect(ended).not.toHaveProperty("heardMicros");
		expect(await allSessions(store, project)).toMatchObject([{ sessionId: "s", runningCount: 0, errorCount: 1 }]);
		expect(await store.writer.write([testSpan({ ...ENDED, output: "later" }), testSpan(RUNNING)], [])).toMatchObject({
			written: 0,
			duplicates: 2,
		});
		await expectTotals(store, [testSpan(ENDED)]);
		await expectContents(store, [testSpan(ENDED)]);
	});

	it("ends a span in the batch that begins it, whichever comes first", async () => {
		for (const batch of [
			[RUNNING, ENDED],
			[ENDED, RUNNING],
		]) {
			await using store = await open();
			expect(await store.writer.write(batch.map(testSpan), [])).toMatchObject({ written: 1, duplicates: 1 });
			await expectTotals(store, [testSpan(ENDED)]);
			await expectContents(store, [testSpan(ENDED)]);
		}
	});

	it("tells what was heard last of the trace of a running span", async () => {
		await using store = await open();
		await store.writer.write([testSpan(RUNNING), testSpan({ span: 2, parent: 1, start: 50, duration: 900 })], []);
		const [running, ended] = await allSpans(store, await projectId(store));
		expect([running?.heardMicros, ended?.heardMicros]).toEqual([HOUR_0 + 950, undefined]);
		const [trace] = await store.traces.findTracesByTraceIds([traceHex(1)]);
		const { items } = await store.traces.listTraceSpans(trace?.id ?? 0, { limit: 5 });
		expect(items.map((span) => span.heardMicros)).toEqual([HOUR_0 + 950, undefined]);
		const outlines = await store.traces.listSpanOutlines(trace?.id ?? 0, { limit: 5 });
		expect(outlines).toEqual({ items: items.map(toSpanOutline), more: false });
	});

	it("ends spans that two writers send at the same time once, and keeps its neighbours' content", async () => {
		await using store = await open();
		const spans = Array.from({ length: 40 }, (_, index) => index + 1);
		const begun = spans.map((span) => testSpan({ ...RUNNING, trace: 1 + (span % 4), span, start: span }));
		const ends = spans.map((span) => testSpan({ ...ENDED, trace: 1 + (span % 4), span, start: span }));
		await store.writer.write(begun, []);
		const results = await Promise.all(
			[0, 1, 2, 3, 0, 1, 2, 3].map((part) =>
				store.writer.write(
					ends.filter((_, index) => index % 4 === part && index < 32),
					[],
				),
			),
		);
		expect(results.reduce((sum, { written }) => sum + written, 0)).toBe(32);
		const now = [...ends.slice(0, 32), ...begun.slice(32)];
		await expectTotals(store, now);
		await expectContents(store, now);
	});

	it("keeps the span with an end when its trace is merged with one where it runs", async () => {
		for (const [moving, present] of [
			[ENDED, RUNNING],
			[RUNNING, ENDED],
		] as const) {
			await using store = await open();
			const neighbour = { span: 2, start: 1, project: "other" };
			await store.writer.write([testSpan(moving), testSpan({ ...present, project: "other" }), testSpan(neighbour)], []);
			const [from, to] = [await projectId(store), await projectId(store, "other")];
			const [trace] = await allTraces(store, from);
			expect(await store.traces.transferTraces([trace?.id ?? 0], to)).toBe(1);
			const now = [testSpan({ ...ENDED, project: "other" }), testSpan(neighbour)];
			await expectTotals(store, now, ["default", "other"]);
			await expectContents(store, now);
		}
	});

	it("keeps a span's log records, and takes the texts of its trace from its end", async () => {
		await using store = await open();
		const genAi = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
		const running = testSpan({ ...RUNNING, kind: "LLM", attributes: genAi });
		const ended = testSpan({ kind: "LLM", attributes: genAi, status: 1 });
		await store.writer.write([running], [testLog({ content: "what is left?" })]);
		await store.writer.write([ended], [testLog({ content: "and then?", at: 1 })]);
		const [stored] = await store.traces.findSpansBySpanId(spanHex(1));
		expect(stored?.content.logs).toHaveLength(2);
		expect(stored?.content.span).toEqual(new Uint8Array(ended.bytes));
		const [trace] = await allTraces(store, await projectId(store));
		const logs = stored?.content.logs ?? [];
		expect(trace).toMatchObject({ firstInput: ended.texts(logs).input, rootStatusCode: 1, runningCount: 0 });
	});

	it("finds spans without an end by a filter, and by no latency", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ ...RUNNING, span: 1 }), testSpan({ span: 2, start: 1, trace: 2 })], []);
		const list = { projectId: await projectId(store), sort: "latency_ms", order: "asc", limit: 10 } as const;
		const spans = async (query: { minLatencyMs?: number; maxLatencyMs?: number }) =>
			(await store.traces.listSpans({ ...list, ...query })).items.map(({ spanId }) => Number(spanId));
		expect(await spans({})).toEqual([2, 1]);
		expect(await spans({ maxLatencyMs: 10 })).toEqual([2]);
		expect(await spans({ minLatencyMs: 0 })).toEqual([2]);
		const traces = await store.traces.listTraces({ ...list, maxLatencyMs: 10 });
		expect(traces.items.map(({ traceId }) => traceId)).toEqual([traceHex(2)]);
		const { condition } = parseFilter("span", "is_running == True and latency_ms is None");
		const running = await store.traces.listSpans({ ...list, sort: "id", ...(condition && { condition }) });
		expect(running.items.map(({ spanId }) => Number(spanId))).toEqual([1]);
	});
}

/** What an SDK knows of a span when it starts. */
function beginningOf({ tokens: _tokens, cost: _cost, output: _output, status: _status, ...span }: TestSpan): TestSpan {
	return { ...span, ...(span.model === undefined ? {} : { model: "requested" }), isRunning: true };
}

function keyOf(span: TestSpan | undefined): TestSpan {
	const { project = "default", trace = 1, span: number = 1, start = 0, startNanos = 0 } = span ?? {};
	return { project, trace, span: number, start, startNanos };
}

/** Each span reads back with the bytes that it was last sent with. */
async function expectContents(store: StoreUnderTest, spans: readonly NormalizedSpan[]): Promise<void> {
	for (const project of new Set(spans.map((span) => span.projectName))) {
		const id = await projectId(store, project);
		const stored = await allPages((from) =>
			store.traces.listStoredSpans({ projectId: id, sort: "id", order: "asc", limit: 50, ...(from ? { from } : {}) }),
		);
		const found = stored.map(({ summary: { traceId, spanId, start }, content }) => [
			`${project} ${traceId} ${spanId} ${start.micros} ${start.nanos}`,
			Buffer.from(content.span).toString("hex"),
		]);
		const own = spans.filter((span) => span.projectName === project);
		expect(new Map(found as [string, string][])).toEqual(
			new Map(own.map((span) => [identityOf(span), Buffer.from(span.bytes).toString("hex")])),
		);
	}
}

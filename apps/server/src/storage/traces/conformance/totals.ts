import { expect, it } from "vitest";
import { testLog, testSpan } from "../test-spans.ts";
import { distinct } from "../test-totals.ts";
import { batches, randomFrom, randomSpans, shuffled } from "./random-spans.ts";
import { allSessions, allTraces, expectTotals, type OpenStore, projectId } from "./store-under-test.ts";

const PROJECTS = ["default", "other"];

/** @param largest spans of a batch, for each order, of which there are up to three */
export function conformsInTotals(
	open: OpenStore,
	seeds: readonly number[] = [1, 2, 3, 4],
	largest: readonly number[] = [1, 21, 81],
): void {
	for (const seed of seeds)
		it(`shows the same totals for any order and batches of spans, some sent twice (seed ${seed})`, async () => {
			const random = randomFrom(seed);
			const spans = distinct(randomSpans(random, 150, PROJECTS));
			for (const most of largest) {
				await using store = await open();
				const repeated = spans.filter(() => random() < 0.2);
				for (const batch of batches(shuffled([...spans, ...repeated], random), most, random))
					await store.writer.write(batch, []);
				await expectTotals(store, spans, PROJECTS);
			}
		});

	it("shows the same totals of a large trace for any order of its spans", async () => {
		const random = randomFrom(11);
		const wanted = Array.from({ length: 300 }, (_, index) => ({
			span: index + 1,
			...(index === 0 ? {} : { parent: 1 + Math.floor(random() * index) }),
			start: Math.floor(random() * 1_000),
			kind: random() < 0.3 ? ("LLM" as const) : ("CHAIN" as const),
			...(random() < 0.4 ? { tokens: { prompt: 10, completion: 1 } } : {}),
			...(random() < 0.1 ? { session: `s${Math.floor(random() * 3)}` } : {}),
			...(random() < 0.3 ? { input: `q${index}`, output: `a${index}` } : {}),
		}));
		const spans = wanted.map(testSpan);
		for (const order of [shuffled(spans, random), spans.toReversed(), spans].slice(0, largest.length)) {
			await using store = await open();
			for (const batch of batches(order, 40, random)) await store.writer.write(batch, []);
			await expectTotals(store, spans);
		}
	});

	it("counts tokens once: a span whose descendant has tokens does not count, whichever comes first", async () => {
		const outer = testSpan({ span: 1, tokens: { prompt: 10 }, cost: { total: 1, source: "table" } });
		const middle = testSpan({ span: 2, parent: 1, start: 1 });
		const inner = testSpan({
			span: 3,
			parent: 2,
			start: 2,
			tokens: { prompt: 7 },
			cost: { total: 0.5, source: "table" },
		});
		for (const order of [
			[outer, middle, inner],
			[inner, middle, outer],
			[outer, inner, middle],
		]) {
			await using store = await open();
			for (const span of order) await store.writer.write([span], []);
			const [trace] = await allTraces(store, await projectId(store));
			expect(trace).toMatchObject({ tokens: { prompt: 7, total: 7 }, totalCost: 0.5 });
			const { items } = await store.traces.listTraceSpans(trace?.id ?? 0, { limit: 10 });
			expect(items.map((span) => [span.spanId.at(-1), span.tokensAreAggregate])).toEqual([
				["1", true],
				["2", false],
				["3", false],
			]);
		}
	});

	it("moves a trace to the session of its earliest span that has one, and deletes emptied sessions", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ span: 2, start: 5, session: "late", tokens: { prompt: 3 } })], []);
		await store.writer.write([testSpan({ span: 1, start: 1, session: "early" })], []);
		const sessions = await allSessions(store, await projectId(store));
		expect(sessions).toMatchObject([{ sessionId: "early", traceCount: 1, spanCount: 2, tokens: { prompt: 3 } }]);
	});

	it("takes a trace's first input and last output from log records that come before or after the span", async () => {
		for (const order of ["before", "after", "together"]) {
			await using store = await open();
			const span = testSpan({
				kind: "LLM",
				attributes: { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" },
			});
			const log = testLog({ content: "what is left?" });
			if (order === "before") await store.writer.write([], [log]);
			await store.writer.write([span], order === "together" ? [log] : []);
			await allTraces(store, await projectId(store));
			if (order === "after") await store.writer.write([], [log]);
			const [trace] = await allTraces(store, await projectId(store));
			expect([order, trace?.firstInput]).toEqual([order, span.texts([log.bytes]).input ?? null]);
			expect(trace?.firstInput).toBe("what is left?");
		}
	});

	it("takes them from log records that come together with a span of a stored trace", async () => {
		await using store = await open();
		const genAi = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
		await store.writer.write([testSpan({ name: "root" })], []);
		const call = testSpan({ span: 2, parent: 1, start: 5, kind: "LLM", attributes: genAi });
		await store.writer.write([call], [testLog({ span: 2, content: "what is left?" })]);
		const [trace] = await allTraces(store, await projectId(store));
		expect(trace?.firstInput).toBe("what is left?");
	});

	it("truncates texts in lists to 2,000 characters, and leaves them out on request", async () => {
		await using store = await open();
		await store.writer.write([testSpan({ input: `${"x".repeat(1_999)}😀 and more` })], []);
		const project = await projectId(store);
		const [trace] = await allTraces(store, project);
		expect(trace?.firstInput).toBe("x".repeat(1_999));
		const query = { projectId: project, sort: "start_time", order: "asc", limit: 1, withTexts: false } as const;
		expect((await store.traces.listTraces(query)).items).toEqual([{ ...trace, firstInput: null, lastOutput: null }]);
	});
}

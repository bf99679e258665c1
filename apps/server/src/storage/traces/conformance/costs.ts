import { parseFilter } from "@spanward/filter-language";
import { expect, it } from "vitest";
import type { OwnPrice } from "#pricing/own-prices.ts";
import { SpanPrices } from "#pricing/price-of.ts";
import { DAMAGED_ATTRIBUTE } from "../content/damaged-blocks.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { HOUR_0, testSpan } from "../test-spans.ts";
import { distinct } from "../test-totals.ts";
import type { CostQuery } from "../trace-store.ts";
import { batches, randomFrom, randomSpans, shuffled } from "./random-spans.ts";
import {
	allSessions,
	allSpans,
	allTraces,
	expectTotals,
	type OpenStore,
	projectId,
	type StoreUnderTest,
} from "./store-under-test.ts";

export function conformsInCosts(open: OpenStore, seeds: readonly number[] = [1, 2]): void {
	for (const seed of seeds)
		it(`keeps every total right while costs are recomputed (seed ${seed})`, async () => {
			const random = randomFrom(seed);
			await using store = await open();
			const spans = distinct(randomSpans(random, 150, ["default", "other"]));
			const sent = shuffled(spans, random);
			for (const batch of batches(sent, 40, random)) await store.writer.write(batch, []);
			const models = [...new Set(spans.flatMap(({ facts }) => facts.model ?? []))];
			const ownPrices = models.map((pattern, index) => price({ id: index + 1, pattern, prices: { input: index + 1 } }));
			await recompute(store, { ownPrices });
			const priced = spans.map((span) => (span.projectName === "default" ? reprice(span, ownPrices) : span));
			expect(priced).not.toEqual(spans);
			await expectTotals(store, priced, ["default", "other"]);
			await recompute(store, { ownPrices: [] });
			await expectTotals(
				store,
				spans.map((span) => (span.projectName === "default" ? reprice(span, []) : span)),
				["default", "other"],
			);
		});

	it("adds and subtracts costs to the millionth of a dollar, up to a billion dollars", async () => {
		await using store = await open();
		const sent = (total: number) => ({ total, source: "sent" }) as const;
		const dear = Array.from({ length: 60 }, (_, index) =>
			testSpan({ trace: 1 + (index % 4), span: index + 1, session: "s", cost: sent(200.1) }),
		);
		const dearest = testSpan({ trace: 5, span: 99, session: "s", cost: sent(999_987_000.000001) });
		for (const batch of [dear.slice(0, 30), [dearest], dear.slice(30)]) await store.writer.write(batch, []);
		await expectTotals(store, [...dear, dearest]);
		const project = await projectId(store);
		expect(await allSessions(store, project)).toMatchObject([{ totalCost: 999_999_006.000001 }]);
		const condition = parseFilter("session", "total_cost == 999999006.000001");
		const found = await store.traces.listSessions({
			projectId: project,
			sort: "id",
			order: "asc",
			limit: 9,
			...condition,
		});
		expect(found.items).toHaveLength(1);
		const row = (await allTraces(store, project)).find((trace) => trace.totalCost === 999_987_000.000001);
		await store.traces.deleteTrace(row?.id ?? 0);
		await expectTotals(store, dear);
		expect(await allSessions(store, project)).toMatchObject([{ totalCost: 12_006 }]);
	});

	it("leaves costs that were sent, and spans outside the range, unchanged", async () => {
		await using store = await open();
		const tokens = { prompt: 1_000_000, completion: 0 };
		const llm = { kind: "LLM", model: "mine", tokens } as const;
		const spans = [
			testSpan({ ...llm, trace: 1, span: 1, cost: { total: 7, source: "sent" } }),
			testSpan({ ...llm, trace: 2, span: 2, start: 10 }),
			testSpan({ ...llm, trace: 3, span: 3, start: 20 }),
			testSpan({ ...llm, trace: 4, span: 4, start: 30, cost: { total: 9, prompt: 9, source: "table" } }),
		];
		await store.writer.write(spans, []);
		const project = await projectId(store);
		const range = { startMicros: HOUR_0, endMicros: HOUR_0 + 20 };
		expect(await store.traces.countSpans({ projectId: project, ...range })).toMatchObject({ count: 2 });
		const done = await recompute(store, { ownPrices: [price({ pattern: "mine", prices: { input: 3 } })], ...range });
		expect(done).toEqual({ seen: 2, changed: 1 });
		expect((await allSpans(store, project)).map(({ cost }) => cost?.total ?? null)).toEqual([7, 3, null, 9]);
		expect(await recompute(store, { ownPrices: [] })).toEqual({ seen: 4, changed: 2 });
		expect((await allSpans(store, project)).map(({ cost }) => cost?.total ?? null)).toEqual([7, null, null, null]);
	});

	it("continues where it stopped, and uses the price of the requested model", async () => {
		await using store = await open();
		const spans = Array.from({ length: 1_500 }, (_, index) =>
			testSpan({
				trace: 1 + (index % 7),
				span: index + 1,
				start: index,
				kind: "LLM",
				model: "answered-by",
				tokens: { prompt: 1_000 },
				attributes: {
					"gen_ai.operation.name": "chat",
					"gen_ai.request.model": "asked-for",
					"gen_ai.response.model": "answered-by",
					// The sender's text happens to be the key of the attribute that marks damage.
					...(index === 700 ? { "input.value": DAMAGED_ATTRIBUTE } : {}),
				},
			}),
		);
		await store.writer.write(spans, []);
		const projectIds = { projectId: await projectId(store) };
		const { lastSpan } = await store.traces.countSpans(projectIds);
		const ownPrices = [price({ pattern: "asked-for", prices: { input: 2 } })];
		const first = await store.traces.recomputeCosts({ ...projectIds, afterSpan: 0, lastSpan, ownPrices });
		expect(first.afterSpan).toBeLessThan(lastSpan);
		expect(first.changed).toBe(first.seen);
		const changed = 1_500 - first.seen;
		expect(await recompute(store, { ownPrices }, first.afterSpan)).toEqual({ seen: changed, changed });
		const cost = { total: 0.002, prompt: 0.002, completion: 0, source: "table" as const };
		await expectTotals(
			store,
			spans.map((span) => ({ ...span, cost })),
		);
	});
}

function price(members: Partial<OwnPrice>): OwnPrice {
	return { id: 1, match: "exact", pattern: "m", provider: null, startsAt: null, prices: { input: 1 }, ...members };
}

function reprice(span: NormalizedSpan, ownPrices: readonly OwnPrice[]): NormalizedSpan {
	if (span.cost?.source === "sent") return span;
	const prices = new SpanPrices();
	prices.useOwn(ownPrices);
	return { ...span, cost: prices.priceOf(span.facts, span.start.micros) };
}

/** Recomputes the costs of all spans of the project, step by step. */
async function recompute(
	store: StoreUnderTest,
	query: Pick<CostQuery, "ownPrices" | "startMicros" | "endMicros">,
	from = 0,
): Promise<{ seen: number; changed: number }> {
	const project = await projectId(store);
	const { lastSpan } = await store.traces.countSpans({ projectId: project });
	const sum = { seen: 0, changed: 0 };
	for (let afterSpan = from; afterSpan < lastSpan; ) {
		const step = await store.traces.recomputeCosts({ ...query, projectId: project, afterSpan, lastSpan });
		sum.seen += step.seen;
		sum.changed += step.changed;
		afterSpan = step.afterSpan;
	}
	return sum;
}

import { expect, it } from "vitest";
import { HOUR_0, testSpan } from "../test-spans.ts";
import { distinct, expectedSpend } from "../test-totals.ts";
import { quarterOf } from "../totals/spend-changes.ts";
import { quartersOf } from "../totals/spend-state.ts";
import { batches, randomFrom, randomSpans, shuffled } from "./random-spans.ts";
import { readSpend } from "./read-spend.ts";
import { type OpenStore, projectId, type StoreUnderTest } from "./store-under-test.ts";

export function conformsInSpend(open: OpenStore): void {
	it("counts what was spent before there was a ledger, also where spans are deleted or come meanwhile", async () => {
		const random = randomFrom(9);
		await using store = await open();
		const spans = distinct(randomSpans(random, 120, ["default", "other"]));
		const [late, early] = [spans.slice(0, 20), spans.slice(20)];
		for (const batch of batches(shuffled(early, random), 40, random)) await store.writer.write(batch, []);
		const project = await projectId(store);
		const before = await readSpend(store, project);
		expect(before).toEqual(expectedSpend(early.filter(({ projectName }) => projectName === "default")));
		// As after an upgrade from a version without one.
		await store.db.write((transaction) => transaction.deleteFrom("spend").execute());
		const [first] = early.filter(({ projectName }) => projectName === "default");
		const traceId = first?.traceId ?? "";
		const [trace] = await store.traces.findTracesByTraceIds([traceId], project);
		await store.traces.deleteTrace(trace?.id ?? 0);
		await recountAll(store);
		const left = early.filter(({ projectName, traceId: id }) => projectName === "default" && id !== traceId);
		expect(await readSpend(store, project)).toEqual(expectedSpend(left));
		expect(await readSpend(store, project, "all")).toEqual(before);
		await store.writer.write(late, []);
		const stored = await readSpend(store, project);
		await recountAll(store);
		expect(await readSpend(store, project)).toEqual(stored);
	});

	it("puts right what the ledger says of stored spans, quarter by quarter", async () => {
		await using store = await open();
		const usage = { tokens: { prompt: 5, total: 5 }, user: "ann" } as const;
		const HOUR = 3_600_000_000;
		await store.writer.write(
			[0, 1, 2].map((hour) => testSpan({ trace: hour + 1, span: hour + 1, start: hour * HOUR, ...usage })),
			[],
		);
		const project = await projectId(store);
		const right = await readSpend(store, project);
		expect(Object.keys(right)).toHaveLength(3);
		await store.db.write((transaction) => transaction.updateTable("spend").set({ tokens: 2 }).execute());
		await store.spend.recount(project, quarterOf(HOUR_0 + HOUR));
		const halfRight = await readSpend(store, project);
		expect(Object.entries(right).filter(([group, spent]) => halfRight[group] === spent)).toHaveLength(1);
		await recountAll(store);
		expect(await readSpend(store, project)).toEqual(right);
		expect((await store.spend.listHours()).map(({ hour }) => hour - HOUR_0 / HOUR)).toEqual([2, 1, 0]);
	});

	it("tells users apart only as far as they are stored", async () => {
		await using store = await open();
		const usage = { tokens: { prompt: 1, total: 1 } } as const;
		// PostgreSQL stores both as one text.
		await store.writer.write(
			[
				testSpan({ trace: 1, span: 1, user: "a\0", ...usage }),
				testSpan({ trace: 2, span: 2, user: "a\uFFFD", ...usage }),
			],
			[],
		);
		const rows = await store.db.read.selectFrom("spend").select("tokens").execute();
		expect(rows.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(2);
		await recountAll(store);
		const again = await store.db.read.selectFrom("spend").select("tokens").execute();
		expect(again.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(2);
	});
}

async function recountAll({ spend }: StoreUnderTest): Promise<void> {
	for (const { projectId: project, hour } of await spend.listHours())
		for (const quarter of quartersOf(hour)) await spend.recount(project, quarter);
}

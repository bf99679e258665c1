import { expect, test } from "vitest";
import { ShardHistory } from "./shard-history.ts";

const ID = (number: number) => number.toString(16).padStart(32, "0");
const IDS = Array.from({ length: 500 }, (_, number) => ID(number));
/** A third shard at 1,000, two more at 2,000. */
const GROWN = new ShardHistory([
	{ count: 2, fromMicros: 0 },
	{ count: 3, fromMicros: 1_000 },
	{ count: 5, fromMicros: 2_000 },
]);

test("a trace is put where its start says, whenever it comes", () => {
	for (const id of IDS) {
		expect(GROWN.numberOf(id, 999)).toBe(ShardHistory.of(2).numberOf(id, 5_000));
		expect(GROWN.numberOf(id, 1_000)).toBe(ShardHistory.of(3).numberOf(id, 0));
		expect(GROWN.numberOf(id, 2_500)).toBe(ShardHistory.of(5).numberOf(id, 0));
	}
	expect(GROWN.count).toBe(5);
});

test("it is looked for wherever it may have been put, and most are in one place", () => {
	for (const id of IDS)
		for (const start of [0, 1_500, 9_999]) expect(GROWN.numbersOf(id)).toContain(GROWN.numberOf(id, start));
	expect(IDS.reduce((sum, id) => sum + GROWN.numbersOf(id).length, 0) / IDS.length).toBeLessThan(1.9);
	for (const id of IDS) expect(ShardHistory.of(3).numbersOf(id)).toEqual([ShardHistory.of(3).numberOf(id, 0)]);
});

test("a session is noted in the same place for ever", () => {
	for (const id of IDS) expect(GROWN.numberOfSession(id)).toBe(ShardHistory.of(2).numberOfSession(id));
});

test("what is noted says all", () => {
	expect(ShardHistory.parse(GROWN.format()).counts).toEqual(GROWN.counts);
	expect(() => new ShardHistory([])).toThrow("at least one");
});

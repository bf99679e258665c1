import { expect, test } from "vitest";
import { QueueBudget } from "./queue-budget.ts";

const MIB = 1_048_576;

test("refuses what goes beyond the limit, and takes it once there is room", () => {
	const budget = new QueueBudget(4 * MIB);
	const first = budget.reserve(3 * MIB);
	expect(first).toBeDefined();
	expect(budget.reserve(2 * MIB)).toBeUndefined();
	first?.release();
	expect(budget.reserve(2 * MIB)).toBeDefined();
});

test("takes a single request that is larger than the limit", () => {
	const budget = new QueueBudget(MIB);
	const reservation = budget.reserve(0);
	expect(reservation?.grow(8 * MIB)).toBe(true);
	expect(budget.reserve(0)).toBeUndefined();
});

test("gives the bytes back once, however often it is asked to", () => {
	const budget = new QueueBudget(MIB);
	const reservation = budget.reserve(1_000);
	reservation?.grow(1_000);
	reservation?.release();
	reservation?.release();
	expect(budget.usedBytes).toBe(0);
	expect(reservation?.grow(1)).toBe(false);
});

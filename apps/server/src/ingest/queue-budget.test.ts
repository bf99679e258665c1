import { expect, test, vi } from "vitest";
import { QueueBudget } from "./queue-budget.ts";

const MIB = 1_048_576;

/** Whether a promise is settled by now. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
	const late = Symbol("late");
	return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, late))])) === late;
}

test("refuses what goes beyond the limit, and takes it once there is room", () => {
	const budget = new QueueBudget(4 * MIB);
	const first = budget.reserve(3 * MIB);
	expect(first).toBeDefined();
	expect(budget.reserve(2 * MIB)).toBeUndefined();
	first?.release();
	expect(budget.reserve(2 * MIB)).toBeDefined();
});

test("lets requests wait for room, in their order", async () => {
	const budget = new QueueBudget(4 * MIB);
	const first = budget.reserve(3 * MIB);
	const second = budget.admit(3 * MIB);
	const third = budget.admit(1_000);
	expect(await isPending(second)).toBe(true);
	expect(await isPending(third)).toBe(true);
	first?.release();
	expect(await second).toBeDefined();
	expect(await third).toBeDefined();
});

test("refuses after some seconds, and at once when too many wait", async () => {
	vi.useFakeTimers();
	try {
		const budget = new QueueBudget(MIB);
		budget.reserve(MIB);
		const waiting = Array.from({ length: 256 }, () => budget.admit(1));
		expect(await budget.admit(1)).toBeUndefined();
		await vi.advanceTimersByTimeAsync(4_000);
		expect(await Promise.all(waiting)).toEqual(waiting.map(() => undefined));
	} finally {
		vi.useRealTimers();
	}
});

test("takes a single request that is larger than the limit", async () => {
	const budget = new QueueBudget(MIB);
	const reservation = budget.reserve(0);
	expect(await reservation?.grow(8 * MIB)).toBe(true);
	expect(budget.reserve(0)).toBeUndefined();
});

test("requests that fill the queue together do not block each other", async () => {
	const budget = new QueueBudget(2 * MIB);
	const first = budget.reserve(0.9 * MIB);
	const second = budget.reserve(0.9 * MIB);
	const firstGrows = first?.grow(MIB);
	expect(await isPending(firstGrows ?? Promise.resolve())).toBe(true);
	// Now nobody is left who could make room: the one that waits longest goes on.
	const secondGrows = second?.grow(MIB);
	expect(await firstGrows).toBe(true);
	expect(await isPending(secondGrows ?? Promise.resolve())).toBe(true);
	first?.release();
	expect(await secondGrows).toBe(true);
	second?.release();
	expect(budget.usedBytes).toBe(0);
});

test("gives the bytes back once, however often it is asked to", async () => {
	const budget = new QueueBudget(MIB);
	const reservation = budget.reserve(1_000);
	await reservation?.grow(1_000);
	reservation?.release();
	reservation?.release();
	expect(budget.usedBytes).toBe(0);
	expect(await reservation?.grow(1)).toBe(false);
});

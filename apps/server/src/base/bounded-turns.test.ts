import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { BoundedTurns, NoTurn } from "./bounded-turns.ts";

test("works on so many at a time, in the order in which they came, whatever becomes of each", async () => {
	const turns = new BoundedTurns(2, 100);
	const order: number[] = [];
	let running = 0;
	let most = 0;
	const work = (number: number) => async () => {
		order.push(number);
		running++;
		most = Math.max(most, running);
		await sleep(1);
		running--;
		if (number % 3 === 0) throw new Error("failed");
	};
	await Promise.allSettled(Array.from({ length: 20 }, (_, number) => turns.take(work(number))));
	expect([most, running]).toEqual([2, 0]);
	expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number));
});

test("who waits too long goes without, and takes nobody's turn", async () => {
	const turns = new BoundedTurns(1, 100);
	const { promise: done, resolve: finish } = Promise.withResolvers<void>();
	const first = turns.take(() => done);
	const impatient = new AbortController();
	const second = turns.take(async () => undefined, impatient.signal);
	const third = turns.take(async () => "third");
	impatient.abort();
	await expect(second).rejects.toThrow(NoTurn);
	finish();
	await first;
	expect(await third).toBe("third");
	expect(await turns.take(async () => "fourth")).toBe("fourth");
});

test("nobody waits behind too many", async () => {
	const turns = new BoundedTurns(1, 1);
	const { promise: done, resolve: finish } = Promise.withResolvers<void>();
	const all = [turns.take(() => done), turns.take(() => done)];
	await expect(turns.take(() => done)).rejects.toThrow(NoTurn);
	finish();
	await Promise.all(all);
});

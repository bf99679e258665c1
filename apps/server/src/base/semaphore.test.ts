import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { NoPermit, Semaphore } from "./semaphore.ts";

test("runs as many at a time as there are permits, in order of arrival, whatever becomes of each", async () => {
	const semaphore = new Semaphore(2, 100);
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
	await Promise.allSettled(Array.from({ length: 20 }, (_, number) => semaphore.run(work(number))));
	expect([most, running]).toEqual([2, 0]);
	expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number));
});

test("work that waits too long gets no permit, and takes nobody else's", async () => {
	const semaphore = new Semaphore(1, 100);
	const { promise: done, resolve: finish } = Promise.withResolvers<void>();
	const first = semaphore.run(() => done);
	const impatient = new AbortController();
	const second = semaphore.run(async () => undefined, impatient.signal);
	const third = semaphore.run(async () => "third");
	impatient.abort();
	await expect(second).rejects.toThrow(NoPermit);
	finish();
	await first;
	expect(await third).toBe("third");
	expect(await semaphore.run(async () => "fourth")).toBe("fourth");
});

test("work is refused at once when too many wait", async () => {
	const semaphore = new Semaphore(1, 1);
	const { promise: done, resolve: finish } = Promise.withResolvers<void>();
	const all = [semaphore.run(() => done), semaphore.run(() => done)];
	await expect(semaphore.run(() => done)).rejects.toThrow(NoPermit);
	finish();
	await Promise.all(all);
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { RepeatedJob } from "./repeated-job.ts";

test("runs at once and when woken, one run at a time, and once more if woken often meanwhile", async () => {
	let began = 0;
	let atOnce = 0;
	let most = 0;
	const ends: (() => void)[] = [];
	await using work = new RepeatedJob(3_600_000, async () => {
		began += 1;
		atOnce += 1;
		most = Math.max(most, atOnce);
		await new Promise<void>((resolve) => ends.push(resolve));
		atOnce -= 1;
	});
	expect(began).toBe(1);
	for (let index = 0; index < 3; index += 1) work.wake();
	ends.shift()?.();
	await expect.poll(() => began).toBe(2);
	ends.shift()?.();
	await sleep(20);
	expect([began, most, atOnce]).toEqual([2, 1, 0]);
	work.wake();
	expect(began).toBe(3);
	ends.shift()?.();
});

test("disposing tells the running work to stop and waits for it, and nothing starts afterwards", async () => {
	const events: string[] = [];
	const work = new RepeatedJob(3_600_000, async (stopped) => {
		events.push("began");
		await new Promise((resolve) => stopped.addEventListener("abort", resolve));
		await sleep(10);
		events.push("ended");
	});
	work.wake();
	await work[Symbol.asyncDispose]();
	events.push("disposed");
	work.wake();
	await sleep(20);
	expect(events).toEqual(["began", "ended", "disposed"]);
});

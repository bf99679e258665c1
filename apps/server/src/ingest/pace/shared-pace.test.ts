import { expect, test } from "vitest";
import { SharedPace } from "./shared-pace.ts";

/** Two threads and their clock, which a test moves. */
function twoThreads() {
	const memory = SharedPace.createMemory();
	const clock = { ms: 1_000 };
	const now = () => BigInt(clock.ms) * 1_000_000n;
	return { clock, one: new SharedPace(memory, now), other: new SharedPace(memory, now) };
}

test("the first write begins at once, and the next one, of any thread, when the interval is over", () => {
	const { clock, one, other } = twoThreads();
	expect(one.tryBegin(200)).toBe(0);
	clock.ms += 50;
	expect([one.tryBegin(200), other.tryBegin(200)]).toEqual([150, 150]);
	clock.ms += 150;
	expect(other.tryBegin(200)).toBe(0);
	expect(one.tryBegin(200)).toBe(200);
	clock.ms += 10_000;
	expect(one.tryBegin(200)).toBe(0);
});

test("an interval that has become longer counts from the last write, too", () => {
	const { clock, one } = twoThreads();
	one.tryBegin(200);
	clock.ms += 300;
	expect(one.tryBegin(1_000)).toBe(700);
});

test("a write that waits for no interval begins one", () => {
	const { clock, one, other } = twoThreads();
	one.tryBegin(200);
	clock.ms += 100;
	other.begin();
	expect(one.tryBegin(200)).toBe(200);
});

test("partitions are paid for by waiting, each the same time, whoever writes to them", () => {
	const { clock, one, other } = twoThreads();
	expect(one.untilPaid()).toBe(0);
	one.pay(10, 50);
	expect(other.untilPaid()).toBe(200);
	other.pay(5, 50);
	expect(one.untilPaid()).toBe(300);
	clock.ms += 1_000;
	expect(one.untilPaid()).toBe(0);
	one.pay(1, 50);
	expect(one.untilPaid()).toBe(20);
});

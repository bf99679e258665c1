import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { ExchangeSlots } from "./exchange-slots.ts";

test("T151: the sign-ins of one address wait for each other and leave room for those of others", async () => {
	const slots = new ExchangeSlots();
	let stalled = 0;
	const stop = Promise.withResolvers<void>();
	const hammering = Array.from({ length: 40 }, () =>
		slots.run("203.0.113.7", async () => {
			stalled++;
			await stop.promise;
		}),
	);
	await setImmediate();
	expect(stalled).toBe(16);
	expect(await slots.run("198.51.100.1", async () => "in")).toEqual({ result: "in" });
	stop.resolve();
	expect(await Promise.all(hammering)).toHaveLength(40);
	expect(stalled).toBe(40);
});

test("only a limited number of one address wait", async () => {
	const slots = new ExchangeSlots();
	const stop = Promise.withResolvers<void>();
	const waiting = Array.from({ length: 144 }, () => slots.run("2001:db8::1", () => stop.promise));
	expect(await slots.run("2001:db8::2", async () => "in")).toBeUndefined();
	expect(await slots.run("2001:db8:1::1", async () => "in")).toEqual({ result: "in" });
	stop.resolve();
	await Promise.all(waiting);
});

test("one that fails makes room", async () => {
	const slots = new ExchangeSlots();
	for (let count = 0; count < 20; count++) {
		await expect(slots.run("203.0.113.7", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	}
	expect(await slots.run("203.0.113.7", async () => "in")).toEqual({ result: "in" });
});

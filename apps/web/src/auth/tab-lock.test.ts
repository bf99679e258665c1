import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SharedStorage } from "./shared-storage.ts";
import { type LockMeans, withTabLock } from "./tab-lock.ts";

function sharedMap(): SharedStorage & { readonly entries: Map<string, string> } {
	const entries = new Map<string, string>();
	return {
		entries,
		get: (key) => entries.get(key),
		set: (key, value) => (value === undefined ? entries.delete(key) : entries.set(key, value)),
	};
}

function withoutLocks(storage: SharedStorage, now = Date.now): LockMeans {
	return { locks: undefined, storage, wait: (ms) => sleep(ms / 20), now, onLeave: () => () => undefined };
}

test("without navigator.locks only one of many acts at a time", async () => {
	const storage = sharedMap();
	let acting = 0;
	let most = 0;
	let done = 0;
	const act = async () => {
		acting += 1;
		most = Math.max(most, acting);
		await sleep(3);
		acting -= 1;
		done += 1;
	};
	await Promise.all(Array.from({ length: 8 }, () => withTabLock("x", withoutLocks(storage), act)));
	expect({ most, done }).toEqual({ most: 1, done: 8 });
	expect(storage.entries.size).toBe(0);
});

test("a failure gives the lock back", async () => {
	const storage = sharedMap();
	const means = withoutLocks(storage);
	await expect(withTabLock("x", means, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	expect(await withTabLock("x", means, async () => "mine")).toBe("mine");
});

test("a page that goes away gives the lock back", async () => {
	const storage = sharedMap();
	let leave: (() => void) | undefined;
	const means: LockMeans = {
		...withoutLocks(storage),
		onLeave(act) {
			leave = act;
			return () => undefined;
		},
	};
	await new Promise<void>((resolve) => {
		void withTabLock("x", means, () => {
			resolve();
			return new Promise(() => undefined);
		});
	});
	leave?.();
	expect(await withTabLock("x", withoutLocks(storage), async () => "next")).toBe("next");
});

test("the lock of a tab that was closed does not last, nor does one from a clock that was put back", async () => {
	const storage = sharedMap();
	storage.set("x.lock", "gone 100000");
	expect(
		await withTabLock(
			"x",
			withoutLocks(storage, () => 100_001),
			async () => 1,
		),
	).toBe(1);
	storage.set("x.lock", "gone 9000000");
	expect(
		await withTabLock(
			"x",
			withoutLocks(storage, () => 100_001),
			async () => 2,
		),
	).toBe(2);
});

test("with navigator.locks that is what is asked", async () => {
	const names: string[] = [];
	const request = (async (name: string, act: () => unknown) => {
		names.push(name);
		return act();
	}) as unknown as LockManager["request"];
	const storage = sharedMap();
	expect(await withTabLock("x", { ...withoutLocks(storage), locks: { request } }, async () => 1)).toBe(1);
	expect(names).toEqual(["x"]);
});

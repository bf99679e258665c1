import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type LockMeans, withTabLock } from "./tab-lock.ts";

/** The shared state of tabs: changes of an entry are serialized, but writes to storage arrive late. */
function share(): Pick<LockMeans, "changeEntry" | "storage"> & { readonly entries: Map<string, string> } {
	const entries = new Map<string, string>();
	const set = (key: string, value: string | undefined) =>
		value === undefined ? entries.delete(key) : entries.set(key, value);
	return {
		entries,
		storage: { get: (key) => entries.get(key), set },
		async changeEntry(key, change) {
			await sleep(Math.random() * 5);
			const entry = change(entries.get(key));
			set(key, entry);
			await sleep(Math.random() * 5);
			return entry;
		},
	};
}

function withoutLocks(shared: Pick<LockMeans, "changeEntry" | "storage">, now = Date.now): LockMeans {
	return { locks: undefined, ...shared, wait: (ms) => sleep(ms / 20), now, onLeave: () => () => undefined };
}

test("without navigator.locks only one of many tabs runs its action at a time", async () => {
	const shared = share();
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
	await Promise.all(Array.from({ length: 8 }, () => withTabLock("x", withoutLocks(shared), act)));
	expect({ most, done }).toEqual({ most: 1, done: 8 });
	expect(shared.entries.size).toBe(0);
});

test("a failure releases the lock", async () => {
	const shared = share();
	const means = withoutLocks(shared);
	await expect(withTabLock("x", means, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	expect(await withTabLock("x", means, async () => "mine")).toBe("mine");
});

test("a page that is left releases the lock", async () => {
	const shared = share();
	let leave: (() => void) | undefined;
	const means: LockMeans = {
		...withoutLocks(shared),
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
	expect(await withTabLock("x", withoutLocks(shared), async () => "next")).toBe("next");
});

test("the lock of a closed tab expires, and so does one from before the clock was set back", async () => {
	const shared = share();
	shared.storage.set("x.lock", "gone 100000");
	expect(
		await withTabLock(
			"x",
			withoutLocks(shared, () => 100_001),
			async () => 1,
		),
	).toBe(1);
	shared.storage.set("x.lock", "gone 9000000");
	expect(
		await withTabLock(
			"x",
			withoutLocks(shared, () => 100_001),
			async () => 2,
		),
	).toBe(2);
});

test("uses navigator.locks where it exists", async () => {
	const names: string[] = [];
	const request = (async (name: string, act: () => unknown) => {
		names.push(name);
		return act();
	}) as unknown as LockManager["request"];
	const shared = share();
	expect(await withTabLock("x", { ...withoutLocks(shared), locks: { request } }, async () => 1)).toBe(1);
	expect(names).toEqual(["x"]);
});

import type { changeSharedEntry } from "./shared-entry.ts";
import type { SharedStorage } from "./shared-storage.ts";

/** Longer than whoever holds the lock may take; counts only when a tab dies with it. */
const LOCK_MS = 15_000;
const CHECK_MS = 60;

export interface LockMeans {
	/** `navigator.locks`, which pages have under https and on localhost only. */
	readonly locks: Pick<LockManager, "request"> | undefined;
	readonly changeEntry: typeof changeSharedEntry;
	readonly storage: SharedStorage;
	readonly wait: (ms: number) => Promise<void>;
	readonly now: () => number;
	/** Calls `act` when the page goes away; the answer ends that. */
	readonly onLeave: (act: () => void) => () => void;
}

/**
 * Runs `act` while no other tab of this browser runs something under the same name. Without `navigator.locks` a shared
 * entry says who has the lock, and until when if that tab dies.
 */
export async function withTabLock<T>(name: string, means: LockMeans, act: () => Promise<T>): Promise<T> {
	// The standard's types lose the promise's inner type.
	if (means.locks !== undefined) return (await means.locks.request(name, act)) as T;
	const { changeEntry, storage } = means;
	const own = Math.random().toString(36).slice(2);
	await takeEntry(name, own, means);
	// A page that goes away has no time for a transaction.
	const stay = means.onLeave(() => storage.set(leftKey(name), own));
	try {
		return await act();
	} finally {
		stay();
		await changeEntry(lockKey(name), (entry) => (holderOf(entry) === own ? undefined : entry));
	}
}

async function takeEntry(name: string, own: string, { changeEntry, storage, wait, now }: LockMeans): Promise<void> {
	const isHeld = (entry: string | undefined) => {
		const until = Number(entry?.split(" ")[1]);
		return holderOf(entry) !== storage.get(leftKey(name)) && now() < until && until <= now() + LOCK_MS;
	};
	const take = (entry: string | undefined) => (isHeld(entry) ? entry : `${own} ${now() + LOCK_MS}`);
	while (holderOf(await changeEntry(lockKey(name), take)) !== own) await wait(CHECK_MS);
}

function lockKey(name: string): string {
	return `${name}.lock`;
}

/** Where the last holder that went away is noted. */
function leftKey(name: string): string {
	return `${name}.left`;
}

function holderOf(entry: string | undefined): string | undefined {
	return entry?.split(" ")[0];
}

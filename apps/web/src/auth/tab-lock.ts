import type { changeSharedEntry } from "./shared-entry.ts";
import type { SharedStorage } from "./shared-storage.ts";

/** Longer than any action under the lock; matters only when a tab dies while it holds the lock. */
const LOCK_MS = 15_000;
const CHECK_MS = 60;

export interface LockMeans {
	/** `navigator.locks`, which exists only under https and on localhost. */
	readonly locks: Pick<LockManager, "request"> | undefined;
	readonly changeEntry: typeof changeSharedEntry;
	readonly storage: SharedStorage;
	readonly wait: (ms: number) => Promise<void>;
	readonly now: () => number;
	/** Calls `act` when the page is left. @returns stops that */
	readonly onLeave: (act: () => void) => () => void;
}

/**
 * A mutex between the tabs of this browser: runs `act` while no other tab holds the lock `name`. Without
 * `navigator.locks`, a shared entry names the holder and an expiry, in case that tab dies.
 */
export async function withTabLock<T>(name: string, means: LockMeans, act: () => Promise<T>): Promise<T> {
	// The standard's types lose the promise's inner type.
	if (means.locks !== undefined) return (await means.locks.request(name, act)) as T;
	const { changeEntry, storage } = means;
	const own = Math.random().toString(36).slice(2);
	await takeEntry(name, own, means);
	// A page that is being left has no time for a transaction.
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

/** The key under which the last holder that was left is recorded. */
function leftKey(name: string): string {
	return `${name}.left`;
}

function holderOf(entry: string | undefined): string | undefined {
	return entry?.split(" ")[0];
}

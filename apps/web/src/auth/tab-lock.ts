import type { SharedStorage } from "./shared-storage.ts";

/** Longer than whoever holds the lock may take; counts only when a tab dies with it. */
const LOCK_MS = 15_000;
const LOOK_MS = 60;

export interface LockMeans {
	/** `navigator.locks`, which pages have under https and on localhost only. */
	readonly locks: Pick<LockManager, "request"> | undefined;
	readonly storage: SharedStorage;
	readonly wait: (ms: number) => Promise<void>;
	readonly now: () => number;
	/** Calls `act` when the page goes away; the answer ends that. */
	readonly onLeave: (act: () => void) => () => void;
}

/**
 * Runs `act` while no other tab of this browser runs something under the same name.
 *
 * Without `navigator.locks` an entry in local storage says who has the lock: it is written, and holds when it is still there
 * after a moment. Two tabs that write within that moment could in theory both go on if one is suspended in between; the
 * server forgives that (the same refresh token presented twice within seconds).
 */
export async function withTabLock<T>(name: string, means: LockMeans, act: () => Promise<T>): Promise<T> {
	// The standard's types lose the promise's inner type.
	if (means.locks !== undefined) return (await means.locks.request(name, act)) as T;
	const { storage } = means;
	const key = `${name}.lock`;
	const own = Math.random().toString(36).slice(2);
	const release = () => {
		if (isOwn(storage.get(key), own)) storage.set(key, undefined);
	};
	const stay = means.onLeave(release);
	try {
		await takeStoredLock(key, own, means);
		return await act();
	} finally {
		stay();
		release();
	}
}

async function takeStoredLock(key: string, own: string, { storage, wait, now }: LockMeans): Promise<void> {
	do {
		const [holder, until] = (storage.get(key) ?? "").split(" ");
		const isTaken = holder !== "" && now() < Number(until) && Number(until) <= now() + LOCK_MS;
		if (!isTaken) storage.set(key, `${own} ${now() + LOCK_MS}`);
		// Different waits, so that two tabs do not keep step.
		await wait(LOOK_MS * (1 + Math.random()));
	} while (!isOwn(storage.get(key), own));
}

function isOwn(entry: string | undefined, own: string): boolean {
	return entry?.split(" ")[0] === own;
}

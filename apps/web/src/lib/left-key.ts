const listeners = new Set<() => void>();
let key: string | undefined;

/**
 * An API key that was made in a page which is gone, as what it waited for has arrived, before anybody had copied it; as a
 * store for `useSyncExternalStore`. It is in no other place, and is never shown again.
 */
export const leftKey = {
	subscribe(listener: () => void): () => void {
		listeners.add(listener);
		return () => listeners.delete(listener);
	},
	get: () => key,
	/** @param left undefined once somebody has it */
	set(left: string | undefined): void {
		key = left;
		for (const listener of listeners) listener();
	},
};

/** What the tabs of this browser share; where the browser keeps nothing (blocked storage) it lasts for the visit of one tab. */
export interface SharedStorage {
	get(key: string): string | undefined;
	set(key: string, value: string | undefined): void;
}

const own = new Map<string, string>();

/** Storage throws where the browser does not allow it, also on reading. */
function attempt<T>(act: (storage: Storage) => T, otherwise: () => T): T {
	try {
		return act(localStorage);
	} catch (error) {
		if (error instanceof DOMException) return otherwise();
		throw error;
	}
}

export const sharedStorage: SharedStorage = {
	get: (key) =>
		attempt(
			(storage) => storage.getItem(key) ?? undefined,
			() => own.get(key),
		),
	set(key, value) {
		if (value === undefined) {
			own.delete(key);
			attempt(
				(storage) => storage.removeItem(key),
				() => undefined,
			);
			return;
		}
		attempt(
			(storage) => storage.setItem(key, value),
			() => {
				own.set(key, value);
			},
		);
	},
};

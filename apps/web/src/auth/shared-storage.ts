/** Storage shared by the tabs of this browser; where storage is blocked, it is per tab and lasts for the visit. */
export interface SharedStorage {
	get(key: string): string | undefined;
	set(key: string, value: string | undefined): void;
}

const own = new Map<string, string>();

/** Storage that the browser blocks throws, also on reading. */
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

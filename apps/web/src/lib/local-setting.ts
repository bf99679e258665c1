/** A setting of this browser (theme, columns, pinned rail): a string, absent if not chosen. */
export interface LocalSetting {
	get(): string | undefined;
	set(value: string | undefined): void;
	subscribe(listener: () => void): () => void;
}

/** A setting in local storage, shared between tabs; without storage (private windows) it lasts for the visit. */
export function localSetting(name: string): LocalSetting {
	const key = `spanward.${name}`;
	const listeners = new Set<() => void>();
	let held: string | undefined = read(key);
	const notify = () => {
		for (const listener of listeners) listener();
	};
	window.addEventListener("storage", (event) => {
		if (event.key !== key && event.key !== null) return;
		held = read(key);
		notify();
	});
	return {
		get: () => held,
		set(value) {
			held = value;
			try {
				if (value === undefined) localStorage.removeItem(key);
				else localStorage.setItem(key, value);
			} catch (error) {
				if (!(error instanceof DOMException)) throw error;
			}
			notify();
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}

function read(key: string): string | undefined {
	try {
		return localStorage.getItem(key) ?? undefined;
	} catch (error) {
		if (error instanceof DOMException) return undefined;
		throw error;
	}
}

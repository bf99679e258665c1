import { useEffect, useSyncExternalStore } from "react";

/** The range that a page shows where its address has none, if the page knows it only once it has read something. */
let shown: string | undefined;
const listeners = new Set<() => void>();

function set(range: string | undefined): void {
	shown = range;
	for (const listener of listeners) listener();
}

/** Says it while the page is open. */
export function useStandardRange(range: string | undefined): void {
	useEffect(() => {
		set(range);
		return () => set(undefined);
	}, [range]);
}

export function usePageRange(): string | undefined {
	return useSyncExternalStore(
		(listener) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		() => shown,
	);
}

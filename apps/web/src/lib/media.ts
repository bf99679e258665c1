import { useSyncExternalStore } from "react";

function query(text: string): () => boolean {
	const list = window.matchMedia(text);
	const subscribe = (listener: () => void) => {
		list.addEventListener("change", listener);
		return () => list.removeEventListener("change", listener);
	};
	return () => useSyncExternalStore(subscribe, () => list.matches);
}

/** Narrower than a tablet: one column, short rows. */
export const useIsPhone: () => boolean = query("(max-width: 639px)");

/** Too narrow for a panel beside the list. */
export const useIsNarrow: () => boolean = query("(max-width: 1023px)");

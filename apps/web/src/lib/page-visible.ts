import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
	document.addEventListener("visibilitychange", listener);
	return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether the tab is in front. */
export function usePageVisible(): boolean {
	return useSyncExternalStore(subscribe, () => document.visibilityState === "visible");
}

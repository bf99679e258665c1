import { useEffect, useRef } from "react";

/**
 * Counts the seconds for which the page is in front while the component is mounted.
 * @param before seconds that were counted before
 * @returns reads them
 */
export function useVisibleSeconds(before: number): () => number {
	const counted = useRef({ ms: before * 1_000, since: performance.now() });
	useEffect(() => {
		const change = () => {
			const { ms, since } = counted.current;
			const now = performance.now();
			// It was in front until now if it is not any more.
			const more = document.visibilityState === "visible" ? 0 : now - since;
			counted.current = { ms: ms + more, since: now };
		};
		document.addEventListener("visibilitychange", change);
		return () => document.removeEventListener("visibilitychange", change);
	}, []);
	return () => {
		const { ms, since } = counted.current;
		const more = document.visibilityState === "visible" ? performance.now() - since : 0;
		return Math.round(ms + more) / 1_000;
	};
}

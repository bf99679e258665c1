import { useLocation } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect } from "react";

/** By entry of the history. */
const kept = new Map<string, number>();

/** Scrolls back to where the page was left, once it has its height. */
export function useKeptScroll(element: RefObject<HTMLElement | null>, isThere: boolean): void {
	const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? "" });
	useLayoutEffect(() => {
		const page = element.current;
		if (!isThere || page === null) return;
		const before = kept.get(entry);
		if (before !== undefined) page.scrollTop = before;
		const keep = () => kept.set(entry, page.scrollTop);
		page.addEventListener("scroll", keep, { passive: true });
		return () => page.removeEventListener("scroll", keep);
	}, [element, entry, isThere]);
}

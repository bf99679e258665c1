import { type RefObject, useLayoutEffect, useState } from "react";

/** The width of an element in pixels, kept up to date; 0 before the first layout. */
export function useElementWidth(element: RefObject<HTMLElement | null>): number {
	const [width, setWidth] = useState(0);
	useLayoutEffect(() => {
		const node = element.current;
		if (!node) return;
		setWidth(node.clientWidth);
		const observer = new ResizeObserver(() => setWidth(node.clientWidth));
		observer.observe(node);
		return () => observer.disconnect();
	}, [element]);
	return width;
}

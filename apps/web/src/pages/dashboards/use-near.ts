import { type RefObject, useEffect, useState } from "react";

/** So far below the screen widgets ask already. */
const MARGIN = "400px";

/** Whether an element has been on the screen, or near it. */
export function useNear(element: RefObject<HTMLElement | null>): boolean {
	const [isNear, setNear] = useState(false);
	useEffect(() => {
		if (isNear || element.current === null) return;
		const observer = new IntersectionObserver((entries) => setNear(entries.some((entry) => entry.isIntersecting)), {
			rootMargin: MARGIN,
		});
		observer.observe(element.current);
		return () => observer.disconnect();
	}, [element, isNear]);
	return isNear;
}

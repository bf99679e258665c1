import { useEffect } from "react";
import { texts } from "../texts/en.ts";

/** The title of the browser's tab: the most specific first. */
export function usePageTitle(...parts: string[]): void {
	const title = [...parts, texts.app].join(" · ");
	useEffect(() => {
		document.title = title;
	}, [title]);
}

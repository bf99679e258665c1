import { type RefObject, useEffect, useLayoutEffect } from "react";

/**
 * Keeps the focus in the view when another trace replaces this one, and moves it to the tree once the trace is loaded.
 * `hadFocus` outlives the view of one trace.
 */
export function useTraceFocus({
	root,
	tree,
	hadFocus,
	isPage,
	isReady,
}: {
	root: RefObject<HTMLElement | null>;
	tree: RefObject<HTMLElement | null>;
	hadFocus: RefObject<boolean>;
	/** Whether the view is the whole page, not beside a list that keeps the focus. */
	isPage: boolean;
	isReady: boolean;
}): void {
	useLayoutEffect(() => {
		const element = root.current;
		if (hadFocus.current) element?.focus({ preventScroll: true });
		return () => {
			hadFocus.current = element?.contains(document.activeElement) ?? false;
		};
	}, [root, hadFocus]);
	useEffect(() => {
		const isWaiting = document.activeElement === root.current || (isPage && document.activeElement === document.body);
		if (isReady && isWaiting) tree.current?.focus({ preventScroll: true });
	}, [root, tree, isPage, isReady]);
}

import { useEffect, useRef, useState } from "react";
import { nextFailed } from "./turn-activity.ts";

interface Turns {
	readonly hasNextPage: boolean;
	readonly isFetchingNextPage: boolean;
	readonly fetchNextPage: () => Promise<unknown>;
}

export interface FailedTurns {
	/** Shows the next or the previous turn that failed; loads further turns until there is one. */
	readonly go: (direction: 1 | -1) => void;
	/** For the element of a turn. */
	readonly refOf: (index: number) => (element: HTMLLIElement | null) => void;
}

/** Leads from one turn that failed to the next. */
export function useFailedTurns(
	{ hasNextPage, isFetchingNextPage, fetchNextPage }: Turns,
	turns: readonly { readonly error_count: number }[],
): FailedTurns {
	const elements = useRef(new Map<number, HTMLLIElement>());
	const shown = useRef(-1);
	const [isSeeking, setSeeking] = useState(false);
	const show = (index: number) => {
		shown.current = index;
		const element = elements.current.get(index);
		element?.scrollIntoView({ block: "start" });
		element?.focus({ preventScroll: true });
	};
	useEffect(() => {
		if (!isSeeking) return;
		const index = nextFailed(turns, shown.current, 1);
		if (index >= 0) show(index);
		if (index >= 0 || !hasNextPage) setSeeking(false);
		else if (!isFetchingNextPage) void fetchNextPage();
	}, [isSeeking, turns.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
	return {
		go: (direction) => {
			const index = nextFailed(turns, shown.current, direction);
			if (index >= 0) show(index);
			else if (direction === 1 && hasNextPage) setSeeking(true);
		},
		refOf: (index) => (element) => {
			if (element) elements.current.set(index, element);
			else elements.current.delete(index);
		},
	};
}

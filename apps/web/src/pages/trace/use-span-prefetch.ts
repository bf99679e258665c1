import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useDebounced } from "../../lib/use-debounced.ts";
import { spanQuery } from "./span-queries.ts";
import { spanInRow, type TraceTree } from "./trace-tree.ts";
import { visibleIndex } from "./tree-rows.ts";

const HOVER_MS = 100;
const REST_MS = 300;

/**
 * Prefetches the spans that are likely to be selected next: the one under the pointer, and those above and below a
 * settled selection. @returns a function to call with the position under the pointer
 */
export function useSpanPrefetch(
	project: string,
	traceId: string,
	tree: TraceTree,
	visible: Int32Array,
	selected: number,
): (position: number) => void {
	const queries = useQueryClient();
	const prefetch = (position: number) => {
		const id = spanInRow(tree, position)?.spanId;
		if (id !== undefined) void queries.prefetchQuery(spanQuery(project, traceId, id));
	};
	const resting = useDebounced(selected, REST_MS);
	useEffect(() => {
		if (resting < 0) return;
		const index = visibleIndex(visible, resting);
		for (const near of [index + 1, index - 1]) prefetch(visible[near] ?? -1);
	}, [resting]);

	const hover = useRef<ReturnType<typeof setTimeout>>(undefined);
	useEffect(() => () => clearTimeout(hover.current), []);
	return (position) => {
		clearTimeout(hover.current);
		hover.current = setTimeout(() => prefetch(position), HOVER_MS);
	};
}

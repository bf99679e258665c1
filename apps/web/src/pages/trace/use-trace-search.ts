import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useDebounced } from "../../lib/use-debounced.ts";
import { findInTrace, nextMatch, searchWords } from "./find-in-trace.ts";
import { contentSearchQuery } from "./span-queries.ts";
import type { TraceTree } from "./trace-tree.ts";

/** Delay after the last change of the words before the server searches the content. */
const ASK_AFTER_MS = 250;

export interface TraceSearch {
	readonly query: string;
	readonly setQuery: (query: string) => void;
	/** Lower-case. */
	readonly words: readonly string[];
	/** Positions of the spans that were found, in the order of the tree. */
	readonly matches: readonly number[];
	readonly found: ReadonlySet<number>;
	/** The content is still being searched for the field's current text. */
	readonly isSearching: boolean;
	/** The matches of the field's current text, while the rendered ones may lag behind. */
	readonly currentMatches: () => readonly number[];
}

/** Searches names, kinds, models and ids at once, and the content of the spans a moment later. */
export function useTraceSearch(project: string, traceId: string, tree: TraceTree): TraceSearch {
	const [query, setQuery] = useState("");
	const searched = useDeferredValue(query);
	const words = useMemo(() => searchWords(searched), [searched]);
	const asked = useDebounced(query.trim(), ASK_AFTER_MS);
	const content = useQuery(contentSearchQuery(project, traceId, asked));
	const inContent = asked !== "" && asked === query.trim() ? content.data : undefined;
	const matches = useMemo(() => findInTrace(tree, searched, inContent), [tree, searched, inContent]);
	const found = useMemo(() => new Set(matches), [matches]);
	const currentMatches = () => (searched === query ? matches : findInTrace(tree, query, inContent));
	const isSearching = query.trim() !== "" && (asked !== query.trim() || content.isFetching);
	return { query, setQuery, words, matches, found, isSearching, currentMatches };
}

/** Selects the next match of a search, or the one before; when the content is still being searched, as soon as there is one. */
export function useGoToMatch(
	search: TraceSearch,
	selected: number,
	select: (position: number) => void,
): (direction: 1 | -1) => void {
	const waiting = useRef<{ readonly query: string; readonly direction: 1 | -1 }>(undefined);
	const go = (direction: 1 | -1) => {
		const match = nextMatch(search.currentMatches(), selected, direction);
		const isLater = match === undefined && search.isSearching;
		waiting.current = isLater ? { query: search.query, direction } : undefined;
		if (match !== undefined) select(match);
	};
	useEffect(() => {
		if (waiting.current?.query === search.query) go(waiting.current.direction);
	});
	return go;
}

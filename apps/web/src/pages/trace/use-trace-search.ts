import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useDebounced } from "../../lib/use-debounced.ts";
import { findInTrace, searchWords } from "./find-in-trace.ts";
import { contentSearchQuery } from "./queries.ts";
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
	return { query, setQuery, words, matches, found, currentMatches };
}

import type { FilterProblem } from "@spanward/filter-language";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { type StreamState, useTraceEvents } from "../../lib/trace-events.ts";
import { type PagedQuery, useAllPages } from "../../ui/list-pages.tsx";
import { knownKeys, mergeFirst, type Pages, type RowPage, updateKnown } from "./merge-rows.ts";
import { fetchRows, type RowFilter, rowPages } from "./queries.ts";
import type { ListRow } from "./rows.ts";

export interface Rows {
	readonly rows: readonly ListRow[];
	readonly isLoading: boolean;
	/** The rows are those of the filters before; the new ones are on their way. */
	readonly isOutdated: boolean;
	readonly isRefreshing: boolean;
	readonly error: Error | null;
	readonly pages: PagedQuery;
	/** Rows that arrived and are not shown yet. */
	readonly waiting: number;
	readonly showWaiting: () => void;
	readonly refresh: () => void;
	readonly stream: StreamState;
	/** What the filter of these rows asks for and probably does not mean. */
	readonly warnings: readonly FilterProblem[];
}

const NO_WARNINGS: readonly FilterProblem[] = [];

/** New rows belong at the top only when the list goes from the newest back, up to now. */
export function takesNewRows(filter: RowFilter): boolean {
	return filter.sort === undefined && filter.order === undefined && filter.to === undefined;
}

/**
 * The rows of the list. What arrives while it is shown waits (`waiting`) unless `takesAtOnce()` says that it may come in;
 * rows that are shown already are brought up to date in place.
 */
export function useRows(project: string, filter: RowFilter, withContent: boolean, takesAtOnce: () => boolean): Rows {
	const options = rowPages(project, filter, withContent);
	const queries = useQueryClient();
	const query = useInfiniteQuery({
		...options,
		// While filters change the rows stay until the new ones are there; another project or view begins empty.
		placeholderData: (before, shown) => {
			const [, ofProject, ofFilter] = shown?.queryKey ?? [];
			return ofProject === project && ofFilter?.view === filter.view ? before : undefined;
		},
	});
	const [isRefreshing, setRefreshing] = useState(false);
	const key = JSON.stringify(options.queryKey);
	const [pending, setPending] = useState<{ key: string; first: RowPage } | undefined>();

	const current = () => queries.getQueryData<Pages>(options.queryKey);
	const store = (first: RowPage) => {
		queries.setQueryData<Pages>(options.queryKey, (pages) => mergeFirst(pages, first));
		setPending(undefined);
	};
	const checkForRows = async () => {
		if (!current()) return;
		const first = await fetchRows(project, filter, withContent, undefined);
		const pages = current();
		if (!pages) return;
		const known = knownKeys(pages);
		const fresh = first.rows.filter((row) => !known.has(row.key));
		if (fresh.length === 0 || known.size === 0 || takesAtOnce()) return store(first);
		queries.setQueryData<Pages>(options.queryKey, (before) => updateKnown(before, first));
		setPending({ key, first });
	};
	const refresh = async () => {
		if (!current()) return await queries.resetQueries({ queryKey: options.queryKey });
		setRefreshing(true);
		try {
			const first = await fetchRows(project, filter, withContent, undefined);
			queries.setQueryData<Pages>(options.queryKey, { pages: [first], pageParams: [undefined] });
			setPending(undefined);
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			// ListSearch again through the query, which shows what is wrong.
			await queries.resetQueries({ queryKey: options.queryKey });
		} finally {
			setRefreshing(false);
		}
	};
	const recheck = useEffectEvent(() => {
		// An answer that fails here is not the user's concern: the next change or focus looks again.
		checkForRows().catch((error: unknown) => console.warn("checking for new rows failed", error));
	});
	const follows = takesNewRows(filter);
	const stream = useTraceEvents(project, follows, recheck);
	useEffect(() => {
		if (!follows) return;
		const onFocus = () => recheck();
		window.addEventListener("focus", onFocus);
		return () => window.removeEventListener("focus", onFocus);
	}, [follows]);

	const rows = useMemo(() => query.data?.pages.flatMap((page) => page.rows) ?? [], [query.data]);
	const waiting = useMemo(() => {
		if (pending?.key !== key) return 0;
		const known = new Set(rows.map((row) => row.key));
		return pending.first.rows.filter((row) => !known.has(row.key)).length;
	}, [pending, key, rows]);

	// A page may be empty and still name a next one (a search that stops early and goes on).
	const last = query.isPlaceholderData ? undefined : query.data?.pages.at(-1);
	useAllPages(query, last?.rows.length === 0);

	return {
		rows,
		isLoading: query.isPending || (rows.length === 0 && (query.hasNextPage || query.isPlaceholderData)),
		isOutdated: query.isPlaceholderData,
		isRefreshing,
		error: query.error,
		pages: query,
		waiting,
		showWaiting: () => {
			if (pending?.key === key) store(pending.first);
		},
		refresh: () => void refresh(),
		stream,
		warnings: (query.isPlaceholderData ? undefined : query.data?.pages[0]?.warnings) ?? NO_WARNINGS,
	};
}

import type { FilterProblem } from "@spanward/filter-language";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { type StreamCause, type StreamState, useTraceEvents } from "../../lib/trace-events.ts";
import { type PagedQuery, useAllPages } from "../../ui/list-pages.tsx";
import { knownKeys, mergeFirst, type Pages, type RowPage, updateKnown } from "./merge-rows.ts";
import { fetchRows, type RowFilter, rowPages } from "./queries.ts";
import type { ListRow } from "./rows.ts";

export interface Rows {
	readonly rows: readonly ListRow[];
	readonly isLoading: boolean;
	/** Whether the rows are those of the previous filters, while the new ones load. */
	readonly isOutdated: boolean;
	readonly isRefreshing: boolean;
	readonly error: Error | null;
	readonly pages: PagedQuery;
	/** Number of rows that arrived and are not shown yet. */
	readonly waiting: number;
	readonly showWaiting: () => void;
	readonly refresh: () => void;
	readonly stream: StreamState;
	/** Warnings about probable mistakes in the filter of these rows. */
	readonly warnings: readonly FilterProblem[];
}

/** When the stream opens right after the rows were loaded, few can have come between; those are among the first ones. */
const JUST_LOADED_MS = 2_000;
const PROBED_ROWS = 5;
const NO_WARNINGS: readonly FilterProblem[] = [];

/** Whether new rows belong at the top: only if the list is sorted newest first and has no end time. */
export function takesNewRows(filter: RowFilter): boolean {
	return filter.sort === undefined && filter.order === undefined && filter.to === undefined;
}

/**
 * The rows of the list. Rows that arrive while it is shown are only counted (`waiting`) unless `takesAtOnce()`; rows
 * that are shown already are updated in place.
 */
export function useRows(project: string, filter: RowFilter, withContent: boolean, takesAtOnce: () => boolean): Rows {
	const options = rowPages(project, filter, withContent);
	const queries = useQueryClient();
	const query = useInfiniteQuery({
		...options,
		// When filters change, the old rows stay until the new ones are loaded; another project or view starts empty.
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
	/** @param limit looks at so many rows only, unless there are new ones among them */
	const checkForRows = async (limit?: number): Promise<void> => {
		if (!current()) return;
		const first = await fetchRows(project, filter, withContent, undefined, limit === undefined ? {} : { limit });
		const pages = current();
		if (!pages) return;
		const known = knownKeys(pages);
		const fresh = first.rows.filter((row) => !known.has(row.key));
		if (limit !== undefined) {
			if (fresh.length > 0) return await checkForRows();
			queries.setQueryData<Pages>(options.queryKey, (before) => updateKnown(before, first));
			return;
		}
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
			// Reloads through the query, which shows errors.
			await queries.resetQueries({ queryKey: options.queryKey });
		} finally {
			setRefreshing(false);
		}
	};
	const recheck = useEffectEvent((cause: StreamCause = "change") => {
		const age = Date.now() - (queries.getQueryState(options.queryKey)?.dataUpdatedAt ?? 0);
		// A failure here does not concern the user: the next change or focus checks again.
		checkForRows(cause === "opening" && age < JUST_LOADED_MS ? PROBED_ROWS : undefined).catch((error: unknown) =>
			console.warn("checking for new rows failed", error),
		);
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

	// A page may be empty and still have a next one, as a slow search returns early.
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

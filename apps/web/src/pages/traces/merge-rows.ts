import type { FilterProblem } from "@spanward/filter-language";
import type { InfiniteData } from "@tanstack/react-query";
import type { ListRow } from "./rows.ts";

export interface RowPage {
	readonly rows: readonly ListRow[];
	/** Cursor of the next page, which may be empty although more follow; null at the end. */
	readonly next: string | null;
	/** Warnings about probable mistakes in the filter. */
	readonly warnings?: readonly FilterProblem[];
}

/** The loaded pages, newest rows first. */
export type Pages = InfiniteData<RowPage, string | undefined>;

/** The keys of all rows that are loaded. */
export function knownKeys(pages: Pages): Set<string> {
	return new Set(pages.pages.flatMap((page) => page.rows.map((row) => row.key)));
}

/** Updates loaded rows, and adds none. */
export function updateKnown(pages: Pages | undefined, first: RowPage): Pages | undefined {
	if (!pages) return pages;
	const newer = new Map(first.rows.map((row) => [row.key, row]));
	return {
		...pages,
		pages: pages.pages.map((page) => ({ ...page, rows: page.rows.map((row) => newer.get(row.key) ?? row) })),
	};
}

/** Merges the newest page into the loaded ones; if they do not overlap, the list is reset to the newest page. */
export function mergeFirst(pages: Pages | undefined, first: RowPage): Pages {
	const known = pages ? knownKeys(pages) : new Set<string>();
	const meets = first.next === null || first.rows.some((row) => known.has(row.key));
	if (!pages || !meets) return { pages: [first], pageParams: [undefined] };
	const updated = updateKnown(pages, first)?.pages ?? [];
	const fresh = first.rows.filter((row) => !known.has(row.key));
	const [top, ...rest] = updated;
	const rows = [...fresh, ...(top?.rows ?? [])].toSorted((a, b) => Date.parse(b.startTime) - Date.parse(a.startTime));
	return { ...pages, pages: [{ ...first, rows, next: top?.next ?? null }, ...rest] };
}

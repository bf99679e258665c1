import type { RefObject } from "react";
import { type Shortcut, useShortcuts } from "../lib/shortcuts.tsx";
import { texts } from "../texts/en.ts";

export interface ListKeys {
	/** Goes so many rows down; false when it does not apply now. */
	readonly onMove: (step: 1 | -1) => unknown;
	/** Opens the row that the keys are at; left out where the row has a link that takes the focus. */
	readonly onOpen?: (event: KeyboardEvent) => unknown;
	readonly searchField?: RefObject<HTMLInputElement | null> | undefined;
	readonly onRefresh: () => unknown;
	/** What this list has besides. */
	readonly more?: readonly Shortcut[] | undefined;
	/** Something lies over the list: only refreshing and `more` go on. */
	readonly isCovered?: boolean | undefined;
}

/** The keys that all lists have: from row to row, open, search, refresh. */
export function useListKeys({ onMove, onOpen, searchField, onRefresh, more = [], isCovered = false }: ListKeys): void {
	const { next, previous, openRow, search, refresh } = texts.shortcuts;
	const unlessCovered = (run: (event: KeyboardEvent) => unknown) => (event: KeyboardEvent) => !isCovered && run(event);
	useShortcuts({
		title: texts.shortcuts.list,
		shortcuts: [
			{ keys: ["j", "ArrowDown"], label: next, run: unlessCovered(() => onMove(1)) },
			{ keys: ["k", "ArrowUp"], label: previous, run: unlessCovered(() => onMove(-1)) },
			...(onOpen ? [{ keys: ["Enter"], label: openRow, run: unlessCovered(onOpen) }] : []),
			...more,
			...(searchField ? [{ keys: ["/"], label: search, run: unlessCovered(() => searchField.current?.focus()) }] : []),
			{ keys: ["r"], label: refresh, run: () => void onRefresh() },
		],
	});
}

/** The keys of a page whose list is one or several {@link Table}s; Enter is for the link that has the focus. */
export function useTableKeys(
	query: { readonly refetch: () => Promise<unknown> },
	keys: Pick<ListKeys, "searchField" | "more"> = {},
): void {
	useListKeys({ ...keys, onMove: moveRowFocus, onRefresh: () => query.refetch() });
}

/** Moves the focus one row on: to the link that names the row, or to the row where it has none. */
function moveRowFocus(step: 1 | -1): boolean {
	const rows = [...document.querySelectorAll<HTMLElement>("#content [data-row]")];
	const at = rows.findIndex((row) => row.contains(document.activeElement));
	const next = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step));
	const row = rows[next];
	if (!row) return false;
	row.tabIndex = -1;
	(row.querySelector<HTMLElement>("th a, td:first-child a") ?? row).focus();
	// The rows after the last one come when the end of the list is in view.
	if (next === rows.length - 1) document.querySelector("#content [data-more]")?.scrollIntoView({ block: "nearest" });
	return true;
}

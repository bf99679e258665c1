import { type ListKeys, useListKeys } from "./list-keys.ts";

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
	(row.querySelector<HTMLElement>("th a, td:first-child a, [data-row-link]") ?? row).focus();
	// The rows after the last one come when the end of the list is in view.
	if (next === rows.length - 1) document.querySelector("#content [data-more]")?.scrollIntoView({ block: "nearest" });
	return true;
}

import { type RefObject, useState } from "react";
import { type Shortcut, useShortcuts } from "../lib/shortcuts.tsx";
import { texts } from "../texts/en.ts";
import type { DataGridProps } from "./data-grid.tsx";

export interface ListKeys {
	/** Goes so many rows down; false when it does not apply now. */
	readonly onMove: (step: 1 | -1) => unknown;
	/** Opens the row that the keys are at; left out where the row has a link that takes the focus. */
	readonly onOpen?: (event: KeyboardEvent) => unknown;
	readonly searchField?: RefObject<HTMLInputElement | null> | undefined;
	/** Absent where `r` is for something else. */
	readonly onRefresh?: (() => unknown) | undefined;
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
			...(onRefresh ? [{ keys: ["r"], label: refresh, run: () => void onRefresh() }] : []),
		],
	});
}

export interface GridKeysOptions<Row> extends Pick<ListKeys, "searchField" | "onRefresh" | "isCovered"> {
	readonly rows: readonly Row[];
	readonly rowKey: (row: Row) => string;
	readonly onOpen: (row: Row) => void;
	/** The row that stands open beside the grid. */
	readonly openKey?: string | undefined;
	/** Something stands open beside the grid, which follows the keys; usually the row `openKey`. */
	readonly isBeside?: boolean;
	/** Further keys; they get the key of the row that the keys are at. */
	readonly more?: (activeKey: string | undefined) => ListKeys["more"];
}

export interface GridKeys<Row> {
	readonly activeKey: string | undefined;
	/** Goes so many rows down, to the first one when none was active. */
	readonly move: (step: number) => void;
	/** What the {@link DataGrid} needs of it. */
	readonly grid: Pick<DataGridProps<Row>, "rows" | "rowKey" | "activeKey" | "onActivate" | "onOpen" | "openKey">;
}

/** The keys of a page whose list is a {@link DataGrid}, wherever the focus is. */
export function useGridKeys<Row>(options: GridKeysOptions<Row>): GridKeys<Row> {
	const { rows, rowKey, onOpen, openKey, isBeside = openKey !== undefined, more, ...keys } = options;
	const [activeKey, setActiveKey] = useState(openKey);
	const [lastOpenKey, setLastOpenKey] = useState(openKey);
	// The keys continue from the row that was opened last, also when the address opened it (back, previous and next).
	if (openKey !== lastOpenKey) {
		setLastOpenKey(openKey);
		if (openKey !== undefined) setActiveKey(openKey);
	}
	const indexOfActive = () => rows.findIndex((row) => rowKey(row) === activeKey);
	const activate = (row: Row) => {
		setActiveKey(rowKey(row));
		if (isBeside) onOpen(row);
	};
	const move = (step: number) => {
		const at = indexOfActive();
		const target = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))];
		if (target !== undefined) activate(target);
	};
	useListKeys({
		...keys,
		onMove: move,
		onOpen: (event) => {
			const row = rows[indexOfActive()];
			if (row === undefined || isPressable(event.target)) return false;
			onOpen(row);
			return true;
		},
		more: more?.(activeKey),
	});
	return { activeKey, move, grid: { rows, rowKey, activeKey, onActivate: activate, onOpen, openKey } };
}

/** Enter presses what has the focus. */
function isPressable(target: EventTarget | null): boolean {
	return target instanceof Element && target.closest("button, a, [role=menuitem]") !== null;
}

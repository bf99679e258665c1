import { useState } from "react";
import type { DataGridProps } from "./data-grid.tsx";
import { type ListKeys, useListKeys } from "./list-keys.ts";

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

import { useMemo, useState } from "react";
import { nextMatch } from "../find-in-trace.ts";
import { hasChildren } from "../trace-tree.ts";
import type { Alignment } from "./align-traces.ts";
import { type ComparedRow, type ComparedRows, comparedKey, shownRows } from "./compare-rows.ts";

const NO_ROWS: ReadonlySet<string> = new Set();

/** The spans of a row, as the address names them. */
export interface ChosenRow {
	readonly left?: string | undefined;
	readonly right?: string | undefined;
}

export interface ComparedRowsState {
	readonly shown: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	/** -1 while there are no rows. */
	readonly selected: number;
	readonly row: ComparedRow | undefined;
	readonly isCollapsed: (at: number) => boolean;
	readonly select: (at: number) => void;
	readonly toggle: (at: number) => void;
	readonly toggleAll: () => void;
	/** Goes to the next row that differs, or the previous one; false if there is none. */
	readonly goToDifference: (direction: 1 | -1) => boolean;
}

/** Which rows of a comparison are shown and which is selected. */
export function useComparedRows(
	alignment: Alignment,
	compared: ComparedRows,
	chosen: ChosenRow,
	onlyDifferences: boolean,
	onChosen: (row: ChosenRow) => void,
): ComparedRowsState {
	const [collapsed, setCollapsed] = useState(NO_ROWS);
	const [cursor, setCursor] = useState(-1);
	const shown = useMemo(
		() => shownRows(alignment, compared, collapsed, onlyDifferences),
		[alignment, compared, collapsed, onlyDifferences],
	);
	const named = useMemo(
		() => compared.rows.findIndex((row) => isNamed(row, chosen)),
		[compared, chosen.left, chosen.right],
	);
	const atCursor = compared.rows[cursor];
	const selected = atCursor && isNamed(atCursor, chosen) ? cursor : named >= 0 ? named : (shown[0] ?? -1);
	const keyOf = (at: number) => {
		const row = compared.rows[at];
		return row ? comparedKey(row, at) : "";
	};
	const select = (at: number) => {
		const row = compared.rows[at];
		if (!row) return;
		const open = new Set(collapsed);
		for (let up = alignment.parentAt[at] ?? -1; up >= 0; up = alignment.parentAt[up] ?? -1) open.delete(keyOf(up));
		if (open.size < collapsed.size) setCollapsed(open);
		setCursor(at);
		if (row.left || row.right) onChosen(row.left ? { left: row.left.spanId } : { right: row.right?.spanId });
	};
	const toggle = (at: number) => {
		const next = new Set(collapsed);
		if (!next.delete(keyOf(at))) next.add(keyOf(at));
		setCollapsed(next);
		if (next.has(keyOf(at)) && selected > at && selected < (alignment.subtreeEnd[at] ?? 0)) select(at);
	};
	const toggleAll = () => {
		if (collapsed.size > 0) return setCollapsed(NO_ROWS);
		const isBelowTop = (at: number) => (alignment.depth[at] ?? 0) > 0 && hasChildren(alignment, at);
		setCollapsed(new Set([...compared.rows.keys()].filter(isBelowTop).map(keyOf)));
	};
	const goToDifference = (direction: 1 | -1) => {
		const next = nextMatch(compared.differences, selected, direction);
		if (next !== undefined) select(next);
		return next !== undefined;
	};
	return {
		shown,
		collapsed,
		selected,
		row: compared.rows[selected],
		isCollapsed: (at) => collapsed.has(keyOf(at)),
		select,
		toggle,
		toggleAll,
		goToDifference,
	};
}

function isNamed(row: ComparedRow, { left, right }: ChosenRow): boolean {
	if (left !== undefined) return row.left?.spanId === left;
	return right !== undefined && row.right?.spanId === right;
}

import { useMemo, useState } from "react";
import type { TraceHead } from "./queries.ts";
import type { TraceSpan } from "./trace-span.ts";
import { buildTraceTree, rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";
import { collapsibleKeys, reveal, visibleIndex, visiblePositions } from "./tree-rows.ts";
import { useSelection } from "./use-selection.ts";

const NOTHING_COLLAPSED: ReadonlySet<string> = new Set();

export interface TraceTreeState {
	readonly tree: TraceTree;
	/** Positions of the rows that are shown, in order. */
	readonly visible: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	/** Position of the selected row; -1 when its span is missing. */
	readonly selected: number;
	/** Span id; that of the root while nothing was chosen, undefined while the trace loads. */
	readonly selectedId: string | undefined;
	/** The span id that was chosen, in the address too. */
	readonly chosenId: string | undefined;
	readonly rootId: string | undefined;
	/** Undefined while the trace loads, and for a missing parent. */
	readonly span: TraceSpan | undefined;
	readonly select: (position: number) => void;
	readonly selectRoot: () => void;
	readonly toggle: (position: number) => void;
	/** Collapses all rows, or opens them when any is collapsed. */
	readonly toggleAll: () => void;
}

/** The tree of a trace: which rows are collapsed and which is selected. `spanId` is the one in the address. */
export function useTraceTree(
	trace: TraceHead | undefined,
	spans: readonly TraceSpan[],
	spanId: string | undefined,
	onSelected: (spanId: string) => void,
): TraceTreeState {
	const tree = useMemo(() => buildTraceTree(spans), [spans]);
	const [collapsed, setCollapsed] = useState(NOTHING_COLLAPSED);
	const visible = useMemo(() => visiblePositions(tree, collapsed), [tree, collapsed]);
	const [chosenId, choose] = useSelection(spanId, onSelected);
	const [cursor, setCursor] = useState(-1);
	const rootId = trace?.root_span_id ?? spanInRow(tree, 0)?.spanId;
	const selectedId = chosenId ?? rootId;
	const selected = positionOf(tree, selectedId, cursor);

	const select = (position: number) => {
		const id = spanInRow(tree, position)?.spanId ?? tree.missingParents.get(position);
		if (id === undefined) return;
		setCursor(position);
		setCollapsed((before) => reveal(tree, before, position));
		choose(id);
	};
	const toggle = (position: number) => {
		const next = new Set(collapsed);
		const key = rowKey(tree, position);
		if (!next.delete(key)) next.add(key);
		setCollapsed(next);
		// A selection below a collapsed row moves to that row.
		if (next.has(key) && selected > position && selected < (tree.subtreeEnd[position] ?? 0)) select(position);
	};
	const toggleAll = () => {
		if (collapsed.size > 0) return setCollapsed(NOTHING_COLLAPSED);
		const keys = collapsibleKeys(tree, tree.length > 0 && (tree.subtreeEnd[0] ?? 0) === tree.length ? 1 : 0);
		setCollapsed(keys);
		const shown = visiblePositions(tree, keys);
		const row = shown[visibleIndex(shown, Math.max(selected, 0))];
		if (row !== undefined && row !== selected) {
			const id = spanInRow(tree, row)?.spanId;
			setCursor(row);
			if (id) choose(id);
		}
	};
	return {
		tree,
		visible,
		collapsed,
		selected,
		selectedId,
		chosenId,
		rootId,
		span: spanInRow(tree, selected),
		select,
		selectRoot: () => rootId !== undefined && choose(rootId),
		toggle,
		toggleAll,
	};
}

/** Position of a span; of two with the same id, the one at the cursor. */
function positionOf(tree: TraceTree, id: string | undefined, cursor: number): number {
	if (id === undefined) return -1;
	if (cursor >= 0 && cursor < tree.length && spanInRow(tree, cursor)?.spanId === id) return cursor;
	return tree.positionOf.get(id) ?? -1;
}

import { useMemo, useState } from "react";
import type { TraceHead } from "./queries.ts";
import { findRepetitions, type Repetitions, unfoldFor } from "./repeated-siblings.ts";
import type { TraceSpan } from "./trace-span.ts";
import { buildTraceTree, rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";
import { collapsibleKeys, reveal, visibleIndex, visiblePositions } from "./tree-rows.ts";
import { useSelection } from "./use-selection.ts";

const NO_ROWS: ReadonlySet<string> = new Set();

export interface TraceTreeState {
	readonly tree: TraceTree;
	/** Positions of the rows that are shown, in order. */
	readonly visible: Int32Array;
	readonly collapsed: ReadonlySet<string>;
	readonly repetitions: Repetitions;
	/** Repeated siblings that are shown, by the row key of the first. */
	readonly unfolded: ReadonlySet<string>;
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
	/** Folds or unfolds the siblings among which a position is, or which it is below. */
	readonly toggleRepeated: (position: number) => void;
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
	const repetitions = useMemo(() => findRepetitions(tree), [tree]);
	const [collapsed, setCollapsed] = useState(NO_ROWS);
	const [chosenUnfolded, setUnfolded] = useState(NO_ROWS);
	const [chosenId, choose] = useSelection(spanId, onSelected);
	const [cursor, setCursor] = useState(-1);
	const rootId = trace?.root_span_id ?? spanInRow(tree, 0)?.spanId;
	const selectedId = chosenId ?? rootId;
	const selected = positionOf(tree, selectedId, cursor);
	// A span that the address names is shown wherever it is.
	const unfolded = useMemo(
		() => unfoldFor(tree, repetitions, chosenUnfolded, selected),
		[tree, repetitions, chosenUnfolded, selected],
	);
	const visible = useMemo(
		() => visiblePositions(tree, collapsed, repetitions, unfolded),
		[tree, collapsed, repetitions, unfolded],
	);

	const select = (position: number) => {
		const id = spanInRow(tree, position)?.spanId ?? tree.missingParents.get(position);
		if (id === undefined) return;
		setCursor(position);
		setCollapsed((before) => reveal(tree, before, position));
		setUnfolded((before) => unfoldFor(tree, repetitions, before, position));
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
	const toggleRepeated = (position: number) => {
		let row = position;
		while (row >= 0 && (repetitions.firstOf[row] ?? -1) < 0) row = tree.parentAt[row] ?? -1;
		const siblings = repetitions.byFirst.get(repetitions.firstOf[row] ?? -1);
		if (!siblings) return;
		const next = new Set(unfolded);
		const key = rowKey(tree, siblings.first);
		const folds = next.delete(key);
		if (!folds) next.add(key);
		// A selection among folded siblings moves to the first, as it would unfold them again.
		if (folds && selected > siblings.first && selected < siblings.end) select(siblings.first);
		setUnfolded(next);
	};
	const toggleAll = () => {
		if (collapsed.size > 0) return setCollapsed(NO_ROWS);
		const keys = collapsibleKeys(tree, tree.length > 0 && (tree.subtreeEnd[0] ?? 0) === tree.length ? 1 : 0);
		setCollapsed(keys);
		const shown = visiblePositions(tree, keys, repetitions, unfolded);
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
		repetitions,
		unfolded,
		selected,
		selectedId,
		chosenId,
		rootId,
		span: spanInRow(tree, selected),
		select,
		selectRoot: () => rootId !== undefined && choose(rootId),
		toggle,
		toggleRepeated,
		toggleAll,
	};
}

/** Position of a span; of two with the same id, the one at the cursor. */
function positionOf(tree: TraceTree, id: string | undefined, cursor: number): number {
	if (id === undefined) return -1;
	if (cursor >= 0 && cursor < tree.length && spanInRow(tree, cursor)?.spanId === id) return cursor;
	return tree.positionOf.get(id) ?? -1;
}

import type { Repetitions } from "./repeated-siblings.ts";
import { hasChildren, rowKey, spanInRow, type TraceTree } from "./trace-tree.ts";

/** Positions of the rows that are neither below a collapsed one nor among folded siblings, in order. */
export function visiblePositions(
	tree: TraceTree,
	collapsed: ReadonlySet<string>,
	{ bySecond }: Repetitions,
	unfolded: ReadonlySet<string>,
): Int32Array {
	const visible = new Int32Array(tree.length);
	let count = 0;
	for (let position = 0; position < tree.length; ) {
		const repeated = bySecond.get(position);
		if (repeated && !unfolded.has(rowKey(tree, repeated.first))) {
			position = repeated.end;
			continue;
		}
		visible[count++] = position;
		const folded = collapsed.size > 0 && hasChildren(tree, position) && collapsed.has(rowKey(tree, position));
		position = folded ? (tree.subtreeEnd[position] ?? tree.length) : position + 1;
	}
	return visible.subarray(0, count);
}

/** Index of a position among the visible rows, or of the row that hides it; -1 when there are no rows. */
export function visibleIndex(visible: Int32Array, position: number): number {
	let low = 0;
	let high = visible.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if ((visible[middle] ?? 0) <= position) low = middle;
		else high = middle - 1;
	}
	return visible.length === 0 ? -1 : low;
}

/** Positions of the spans that failed, in order. */
export function errorPositions(tree: TraceTree): number[] {
	const found: number[] = [];
	for (let position = 0; position < tree.length; position++)
		if (spanInRow(tree, position)?.status === "ERROR") found.push(position);
	return found;
}

/** Keys of all rows that have children, below the given depth. */
export function collapsibleKeys(tree: TraceTree, fromDepth: number): Set<string> {
	const keys = new Set<string>();
	for (let position = 0; position < tree.length; position++)
		if ((tree.depth[position] ?? 0) >= fromDepth && hasChildren(tree, position)) keys.add(rowKey(tree, position));
	return keys;
}

/** The collapsed set without the ancestors of a position, so that its row is visible; the same set if it already is. */
export function reveal(tree: TraceTree, collapsed: ReadonlySet<string>, position: number): ReadonlySet<string> {
	const hiding: string[] = [];
	for (let parent = tree.parentAt[position] ?? -1; parent >= 0; parent = tree.parentAt[parent] ?? -1) {
		const key = rowKey(tree, parent);
		if (collapsed.has(key)) hiding.push(key);
	}
	if (hiding.length === 0) return collapsed;
	const next = new Set(collapsed);
	for (const key of hiding) next.delete(key);
	return next;
}

export type TreeMove =
	| { readonly to: number }
	| { readonly collapse: number }
	| { readonly expand: number }
	| undefined;

const PAGE = 12;

/** The effect of a key in the tree when the cursor is on a visible position. */
export function moveInTree(
	tree: TraceTree,
	visible: Int32Array,
	collapsed: ReadonlySet<string>,
	position: number,
	key: string,
): TreeMove {
	return moveInRows(tree, visible, (row) => collapsed.has(rowKey(tree, row)), position, key);
}

/** What keys need to know of rows in pre-order. */
export type RowTree = Pick<TraceTree, "subtreeEnd" | "parentAt">;

/** The effect of a key in rows when the cursor is on a visible one (ARIA tree view pattern, and j/k). */
export function moveInRows(
	tree: RowTree,
	visible: Int32Array,
	isCollapsed: (position: number) => boolean,
	position: number,
	key: string,
): TreeMove {
	const index = visibleIndex(visible, position);
	if (index < 0) return undefined;
	const row = (wanted: number) => {
		const to = visible[Math.min(Math.max(wanted, 0), visible.length - 1)];
		return to === undefined || to === position ? undefined : { to };
	};
	const folded = hasChildren(tree, position) && isCollapsed(position);
	switch (key) {
		case "ArrowDown":
		case "j":
			return row(index + 1);
		case "ArrowUp":
		case "k":
			return row(index - 1);
		case "PageDown":
			return row(index + PAGE);
		case "PageUp":
			return row(index - PAGE);
		case "Home":
			return row(0);
		case "End":
			return row(visible.length - 1);
		case "ArrowRight":
			if (!hasChildren(tree, position)) return undefined;
			return folded ? { expand: position } : row(index + 1);
		case "ArrowLeft": {
			if (hasChildren(tree, position) && !folded) return { collapse: position };
			const parent = tree.parentAt[position] ?? -1;
			return parent < 0 ? undefined : { to: parent };
		}
		default:
			return undefined;
	}
}

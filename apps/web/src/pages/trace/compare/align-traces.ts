import type { TraceTree } from "../trace-tree.ts";
import { childrenOf, matchSpans } from "./match-spans.ts";

/**
 * Two traces as one tree in pre-order, as flat arrays: the right one, with what is only left put in below the spans that
 * correspond to its parents.
 */
export interface Alignment {
	readonly left: TraceTree;
	readonly right: TraceTree;
	readonly length: number;
	/** Position in the left tree by row; -1 for what is only right. */
	readonly leftAt: Int32Array;
	readonly rightAt: Int32Array;
	/** 1 for a row whose spans are at different places. */
	readonly isMoved: Uint8Array;
	readonly depth: Int32Array;
	/** First row after what is below a row. */
	readonly subtreeEnd: Int32Array;
	/** Row of the parent, -1 at the top. */
	readonly parentAt: Int32Array;
}

export function alignTraces(left: TraceTree, right: TraceTree): Alignment {
	const { rightOf, leftOf, isMoved } = matchSpans(left, right);
	const length = right.length + rightOf.filter((position) => position === -1).length;
	/** Of a left position: a right position, or beyond them. */
	const nodeOf = (position: number) => {
		if (position < 0) return -1;
		const partner = rightOf[position] ?? -1;
		return partner >= 0 ? partner : right.length + position;
	};
	const onlyLeft = placeOnlyLeft(left, right, nodeOf);
	const followedBy = (node: number, children: number[]) => children.push(...(onlyLeft.after.get(node) ?? []));
	const childNodes = (node: number) => {
		const children = [...(onlyLeft.first.get(node) ?? [])];
		if (node < right.length) {
			for (const child of childrenOf(right, node)) {
				children.push(child);
				followedBy(child, children);
			}
		}
		return children;
	};

	const alignment = {
		left,
		right,
		length,
		leftAt: new Int32Array(length),
		rightAt: new Int32Array(length),
		isMoved: new Uint8Array(length),
		depth: new Int32Array(length),
		subtreeEnd: new Int32Array(length),
		parentAt: new Int32Array(length),
	};
	let row = 0;
	const place = (node: number, parent: number) => {
		const isRight = node < right.length;
		alignment.leftAt[row] = isRight ? (leftOf[node] ?? -1) : node - right.length;
		alignment.rightAt[row] = isRight ? node : -1;
		alignment.isMoved[row] = isRight ? (isMoved[node] ?? 0) : 0;
		alignment.parentAt[row] = parent;
		alignment.depth[row] = parent < 0 ? 0 : (alignment.depth[parent] ?? 0) + 1;
		return row++;
	};
	const open = [{ row: -1, children: childNodes(-1), next: 0 }];
	for (let top = open.at(-1); top; top = open.at(-1)) {
		const child = top.children[top.next++];
		if (child === undefined) {
			if (top.row >= 0) alignment.subtreeEnd[top.row] = row;
			open.pop();
		} else open.push({ row: place(child, top.row), children: childNodes(child), next: 0 });
	}
	return alignment;
}

/** Where nodes that are only left go: before the children of a node, or right after a sibling. */
function placeOnlyLeft(left: TraceTree, right: TraceTree, nodeOf: (position: number) => number) {
	const first = new Map<number, number[]>();
	const after = new Map<number, number[]>();
	const lastSibling = new Map<number, number>();
	for (let position = 0; position < left.length; position++) {
		const parent = nodeOf(left.parentAt[position] ?? -1);
		const node = nodeOf(position);
		if (node < right.length) {
			// What has moved elsewhere is no sibling any more.
			if ((right.parentAt[node] ?? -1) === parent) lastSibling.set(parent, node);
			continue;
		}
		const sibling = lastSibling.get(parent);
		const [places, key] = sibling === undefined ? [first, parent] : [after, sibling];
		const list = places.get(key);
		if (list) list.push(node);
		else places.set(key, [node]);
	}
	return { first, after };
}

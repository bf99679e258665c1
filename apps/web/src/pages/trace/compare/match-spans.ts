import type { SpanKind } from "@spanward/semconv";
import { spanInRow, type TraceTree } from "../trace-tree.ts";
import { alignLists, byOccurrence, type Pair } from "./align-lists.ts";

/** Which positions of two trees belong together. */
export interface Matches {
	/** Position in the right tree by position in the left one; -1 for what is only left. */
	readonly rightOf: Int32Array;
	readonly leftOf: Int32Array;
	/** By right position: 1 for what is at another place among its siblings, or below another span. */
	readonly isMoved: Uint8Array;
}

/** Kinds of spans whose names often contain the model, so that they are the same step under another name. */
const NAMED_AFTER_MODELS: ReadonlySet<SpanKind> = new Set<SpanKind>(["LLM", "EMBEDDING", "RERANKER"]);

interface Side {
	readonly tree: TraceTree;
	/** By position: equal for spans of one kind and name. */
	readonly names: Int32Array;
	/** By position: equal for spans with the same names in the same places below them, too. */
	readonly shapes: Int32Array;
}

/**
 * Matches two trees from the top: the children of a pair are aligned without crossings, first those with the same shape,
 * between them those of the same name, then calls of models under other names. What is left over may have moved: among
 * its siblings, or below another span, where there is no doubt which span it is.
 */
export function matchSpans(left: TraceTree, right: TraceTree): Matches {
	return new Matching(left, right).run();
}

class Matching {
	readonly #left: Side;
	readonly #right: Side;
	readonly #rightOf: Int32Array;
	readonly #leftOf: Int32Array;
	readonly #isMoved: Uint8Array;
	/** Pairs whose children are to be matched. */
	readonly #open: Pair[] = [];

	constructor(left: TraceTree, right: TraceTree) {
		const numbers = new Map<string, number>();
		this.#left = sideOf(left, numbers);
		this.#right = sideOf(right, numbers);
		this.#rightOf = new Int32Array(left.length).fill(-1);
		this.#leftOf = new Int32Array(right.length).fill(-1);
		this.#isMoved = new Uint8Array(right.length);
	}

	run(): Matches {
		const roots: Pair = [-1, -1];
		this.#open.push(roots);
		this.#matchOpen();
		for (const moved of this.#movedElsewhere()) {
			if (this.#pair(moved, true)) this.#matchOpen();
		}
		return { rightOf: this.#rightOf, leftOf: this.#leftOf, isMoved: this.#isMoved };
	}

	#matchOpen(): void {
		for (let next = this.#open.pop(); next; next = this.#open.pop()) this.#matchChildren(...next);
	}

	#matchChildren(left: number, right: number): void {
		const lefts = childrenOf(this.#left.tree, left).filter((at) => this.#rightOf[at] === -1);
		const rights = childrenOf(this.#right.tree, right).filter((at) => this.#leftOf[at] === -1);
		const shapes = [this.#left.shapes, this.#right.shapes] as const;
		const names = [this.#left.names, this.#right.names] as const;
		for (const [someLeft, someRight] of this.#align(lefts, rights, ...shapes)) {
			for (const [fewLeft, fewRight] of this.#align(someLeft, someRight, ...names)) this.#alignKinds(fewLeft, fewRight);
		}
		const [onlyLeft, onlyRight] = [lefts, rights];
		if (left === -1 && onlyLeft.length === 1 && onlyRight.length === 1) {
			this.#pair([onlyLeft[0] ?? 0, onlyRight[0] ?? 0], false);
		}
		for (const [ofLeft, ofRight] of [shapes, names]) {
			const restLeft = lefts.filter((at) => this.#rightOf[at] === -1);
			const restRight = rights.filter((at) => this.#leftOf[at] === -1);
			const keys = [restLeft.map((at) => ofLeft[at] ?? -1), restRight.map((at) => ofRight[at] ?? -1)] as const;
			for (const [l, r] of byOccurrence(...keys)) this.#pair([restLeft[l] ?? 0, restRight[r] ?? 0], true);
		}
	}

	/** Pairs siblings with equal keys. @returns the siblings before, between and after the pairs */
	#align(
		lefts: readonly number[],
		rights: readonly number[],
		ofLeft: Int32Array,
		ofRight: Int32Array,
	): (readonly [number[], number[]])[] {
		const pairs = alignLists(
			lefts.map((at) => ofLeft[at] ?? -1),
			rights.map((at) => ofRight[at] ?? -1),
		);
		const gaps: (readonly [number[], number[]])[] = [];
		let [l, r] = [0, 0];
		for (const [nextLeft, nextRight] of [...pairs, [lefts.length, rights.length] as const]) {
			if (nextLeft > l && nextRight > r) gaps.push([lefts.slice(l, nextLeft), rights.slice(r, nextRight)]);
			[l, r] = [nextLeft + 1, nextRight + 1];
		}
		for (const [at, other] of pairs) this.#pair([lefts[at] ?? 0, rights[other] ?? 0], false);
		return gaps;
	}

	#alignKinds(lefts: readonly number[], rights: readonly number[]): void {
		const kindOf = (tree: TraceTree, at: number) => spanInRow(tree, at)?.kind;
		const models = (tree: TraceTree, list: readonly number[]) =>
			list.filter((at) => NAMED_AFTER_MODELS.has(kindOf(tree, at) ?? "UNKNOWN"));
		const someLeft = models(this.#left.tree, lefts);
		const someRight = models(this.#right.tree, rights);
		const pairs = alignLists(
			someLeft.map((at) => kindOf(this.#left.tree, at)),
			someRight.map((at) => kindOf(this.#right.tree, at)),
		);
		for (const [l, r] of pairs) this.#pair([someLeft[l] ?? 0, someRight[r] ?? 0], false);
	}

	/** Pairs of what is left over in both trees: with the same spans below it, or with a name that occurs once in each. */
	#movedElsewhere(): Pair[] {
		const isLeft = (at: number) => this.#rightOf[at] === -1;
		const isRight = (at: number) => this.#leftOf[at] === -1;
		const lefts = [...this.#left.names.keys()].filter(isLeft);
		const rights = [...this.#right.names.keys()].filter(isRight);
		const [leftNames, rightNames] = [countOf(this.#left.names), countOf(this.#right.names)];
		const keyOf = ({ tree, names, shapes }: Side, at: number) => {
			const name = names[at] ?? -1;
			if (leftNames.get(name) === 1 && rightNames.get(name) === 1) return `name ${name}`;
			const isLeaf = (tree.subtreeEnd[at] ?? 0) <= at + 1;
			return isLeaf ? undefined : `shape ${shapes[at]}`;
		};
		const keys = [lefts.map((at) => keyOf(this.#left, at)), rights.map((at) => keyOf(this.#right, at))] as const;
		return byOccurrence(...keys)
			.filter(([l]) => keys[0][l] !== undefined)
			.map(([l, r]) => [lefts[l] ?? 0, rights[r] ?? 0]);
	}

	/** @returns false when either has another partner */
	#pair([left, right]: Pair, isMoved: boolean): boolean {
		if (this.#rightOf[left] !== -1 || this.#leftOf[right] !== -1) return false;
		this.#rightOf[left] = right;
		this.#leftOf[right] = left;
		if (isMoved) this.#isMoved[right] = 1;
		this.#open.push([left, right]);
		return true;
	}
}

/** UUIDs, and hexadecimal ids of at least 16 digits. */
const IDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b/gi;

/** The name of a step, without ids that are others in each run (`Cycle 3fa85f64-…`). */
export function stepName(name: string): string {
	return name.replaceAll(IDS, "#");
}

/** Positions of the children of a row, in order; of the top for -1. */
export function childrenOf(tree: TraceTree, parent: number): number[] {
	const end = parent < 0 ? tree.length : (tree.subtreeEnd[parent] ?? 0);
	const children: number[] = [];
	for (let at = parent + 1; at < end; at = tree.subtreeEnd[at] ?? end) children.push(at);
	return children;
}

/** Numbers the names and shapes of a tree; equal ones have equal numbers in all trees with the same `numbers`. */
function sideOf(tree: TraceTree, numbers: Map<string, number>): Side {
	const numberOf = (key: string) => {
		const known = numbers.get(key);
		if (known !== undefined) return known;
		numbers.set(key, numbers.size);
		return numbers.size - 1;
	};
	const names = new Int32Array(tree.length);
	const shapes = new Int32Array(tree.length);
	const below: number[][] = Array.from({ length: tree.length }, () => []);
	for (let at = tree.length - 1; at >= 0; at--) {
		const span = spanInRow(tree, at);
		const name = numberOf(span ? `span ${span.kind} ${stepName(span.name)}` : "missing parent");
		const shape = numberOf(`shape ${name} ${(below[at] ?? []).join(" ")}`);
		names[at] = name;
		shapes[at] = shape;
		below[tree.parentAt[at] ?? -1]?.push(shape);
	}
	return { tree, names, shapes };
}

function countOf(numbers: Int32Array): ReadonlyMap<number, number> {
	const counts = new Map<number, number>();
	for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
	return counts;
}

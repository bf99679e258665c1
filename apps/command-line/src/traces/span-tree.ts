import type { NarrowSpan } from "@spanward/client";

/** From how many alike siblings on one line stands for all of them. */
const FOLDED_FROM = 3;

/** A span, or several alike siblings, with what is below. */
export interface TreeNode {
	/** The longest of those that the node stands for. */
	readonly span: NarrowSpan;
	readonly startMs: number;
	readonly endMs: number;
	/** How many siblings it stands for. */
	readonly count: number;
	/** Below the span that is shown. */
	readonly children: readonly TreeNode[];
	/** Spans that it stands for, with all that is below them. */
	readonly spanCount: number;
	/** Whether it or something below it is in error. */
	readonly hasError: boolean;
}

/**
 * The spans of a trace by parent, by start. Siblings of the same name, kind and structure become one node, unless they
 * have errors. Spans whose parent is not there, and one of each circle, are roots.
 */
export function spanTree(spans: readonly NarrowSpan[], { isFolded }: { readonly isFolded: boolean }): TreeNode[] {
	const byParent = Map.groupBy(spans, ({ parent_id: parent }) => parent ?? "");
	const known = new Set(spans.map(({ span_id: id }) => id));
	const placed = new Set<string>();
	const signatures = new Map<TreeNode, string>();

	const nodeOf = (root: NarrowSpan): TreeNode => {
		// Without recursion: traces may be thousands of spans deep.
		const order: NarrowSpan[] = [];
		const open = [root];
		placed.add(root.span_id);
		for (let span = open.pop(); span !== undefined; span = open.pop()) {
			order.push(span);
			for (const child of byParent.get(span.span_id) ?? []) {
				if (placed.has(child.span_id)) continue;
				placed.add(child.span_id);
				open.push(child);
			}
		}
		const below = new Map<NarrowSpan, TreeNode[]>();
		const parents = new Map(order.map((span) => [span.span_id, span]));
		let node: TreeNode | undefined;
		for (const span of order.toReversed()) {
			const children = (below.get(span) ?? []).toSorted((a, b) => a.startMs - b.startMs);
			const isError = span.status_code === "ERROR";
			node = {
				span,
				startMs: Date.parse(span.start_time),
				endMs: Date.parse(span.end_time),
				count: 1,
				children: isFolded ? folded(children, signatures) : children,
				spanCount: children.reduce((sum, child) => sum + child.spanCount, 1),
				hasError: isError || children.some((child) => child.hasError),
			};
			signatures.set(node, signatureOf(node, signatures));
			const parent = span === root ? undefined : parents.get(span.parent_id ?? "");
			if (parent !== undefined) below.set(parent, [...(below.get(parent) ?? []), node]);
		}
		if (node === undefined) throw new Error("a tree without its root");
		return node;
	};

	const roots = spans.filter(({ parent_id: parent }) => parent === null || !known.has(parent)).map(nodeOf);
	for (const span of spans) if (!placed.has(span.span_id)) roots.push(nodeOf(span));
	const sorted = roots.toSorted((a, b) => a.startMs - b.startMs);
	return isFolded ? folded(sorted, signatures) : sorted;
}

function folded(siblings: readonly TreeNode[], signatures: Map<TreeNode, string>): TreeNode[] {
	const groups = Map.groupBy(siblings, (node) => (node.hasError ? node : signatures.get(node)));
	return [...groups.values()].flatMap((group) => {
		if (group.length < FOLDED_FROM) return group;
		const took = ({ startMs, endMs }: TreeNode) => endMs - startMs;
		const longest = group.reduce((one, other) => (took(other) > took(one) ? other : one));
		const node = {
			...longest,
			count: group.length,
			spanCount: group.reduce((sum, { spanCount }) => sum + spanCount, 0),
		};
		signatures.set(node, `${signatures.get(longest)}*`);
		return [node];
	});
}

/** What siblings have in common that are shown as one: names and kinds of themselves and of what is below. */
function signatureOf({ span, children }: TreeNode, signatures: ReadonlyMap<TreeNode, string>): string {
	const below = new Set(children.map((child) => signatures.get(child) ?? ""));
	// Deep structures differ by their length alone: a signature stays short.
	const inner = [...below].sort().join("\u0001");
	return JSON.stringify([
		span.name,
		span.span_kind,
		inner.length > 2_000 ? `${inner.slice(0, 2_000)}${inner.length}` : inner,
	]);
}

export interface TreeLine {
	readonly node: TreeNode;
	/** For each level above and its own: whether further siblings come after it. */
	readonly continues: readonly boolean[];
	/** Spans below it that have no line. */
	readonly hidden: number;
}

/**
 * The lines of a tree in at most `most` lines where that is possible: the deepest levels are left out first, but never
 * what leads to an error.
 */
export function treeLines(roots: readonly TreeNode[], most: number): TreeLine[] {
	let lines = linesOf(roots, Number.POSITIVE_INFINITY);
	for (
		let depth = Math.max(0, ...lines.map(({ continues }) => continues.length));
		lines.length > most && depth > 1;
		depth -= 1
	)
		lines = linesOf(roots, depth - 1);
	return lines;
}

/** @param depth of the lines without an error at the most; roots have 1 */
function linesOf(roots: readonly TreeNode[], depth: number): TreeLine[] {
	const lines: TreeLine[] = [];
	const place = (siblings: readonly TreeNode[], above: readonly boolean[]) =>
		siblings
			.map((node, index) => ({ node, continues: [...above, index < siblings.length - 1] }))
			.filter(({ node }) => above.length < depth || node.hasError);
	const open = place(roots, []).toReversed();
	for (let line = open.pop(); line !== undefined; line = open.pop()) {
		const shown = place(line.node.children, line.continues);
		const isCut = shown.length < line.node.children.length;
		const last = shown.at(-1);
		if (last !== undefined && isCut) last.continues.splice(-1, 1, false);
		const hidden = isCut
			? line.node.children
					.filter((child) => !shown.some(({ node }) => node === child))
					.reduce((sum, { spanCount }) => sum + spanCount, 0)
			: 0;
		lines.push({ ...line, hidden });
		open.push(...shown.toReversed());
	}
	return lines;
}

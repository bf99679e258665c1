/** What an outline needs to know of a span. */
export interface OutlineSpan {
	readonly spanId: string;
	readonly parentId: string | null;
	readonly name: string;
	readonly kind: string;
	readonly isError: boolean;
	readonly statusMessage: string;
	readonly startMicros: number;
	/** The start while it runs. */
	readonly endMicros: number;
	readonly isRunning: boolean;
	readonly model: string | null;
	readonly tokens: number | null;
	/** US dollars. */
	readonly cost: number | null;
}

/** A span and the siblings that are like it, with all that is below them. */
export interface Fold {
	/** The first of them by start. */
	readonly span: OutlineSpan;
	readonly depth: number;
	readonly parent: Fold | undefined;
	/** How many siblings it stands for, itself included. */
	readonly count: number;
	/** How many spans it stands for, as those above it stand for several, too. */
	readonly times: number;
	/** Milliseconds of the shortest and the longest of them. */
	readonly shortest: number;
	readonly longest: number;
	/** Of the siblings, and all below them, in one of the places that it stands for. */
	readonly spans: number;
	readonly errors: number;
	readonly isCritical: boolean;
	readonly below: readonly Fold[];
}

interface Node {
	readonly span: OutlineSpan;
	readonly at: number;
	readonly below: Node[];
	spans: number;
	errors: number;
	/** Equal for spans that look alike, with all that is below them. */
	shape: number;
}

/** So many like siblings are still listed one by one. */
const MOST_UNFOLDED = 2;

/**
 * The spans of a trace as a tree in which like siblings are one row. A span whose parent is missing is at the top. Needs
 * O(n log n), without recursion, as traces may be as deep as they are long.
 * @param spans by start
 * @param under only what is below this span, itself included
 */
export function foldTree(spans: readonly OutlineSpan[], under?: string): readonly Fold[] {
	const { tops, parentsFirst } = toTree(spans);
	const shapes = new Map<string, number>();
	for (let at = parentsFirst.length - 1; at >= 0; at -= 1) {
		const node = parentsFirst[at];
		if (node === undefined) continue;
		for (const child of node.below) {
			node.spans += child.spans;
			node.errors += child.errors;
		}
		const { name, kind, isError, model } = node.span;
		const key = JSON.stringify([name, kind, isError, model, runsOf(node.below)]);
		node.shape = shapes.get(key) ?? shapes.size;
		shapes.set(key, node.shape);
	}
	const critical = criticalSpans(tops);
	const start = under === undefined ? tops : parentsFirst.filter(({ span }) => span.spanId === under).slice(0, 1);
	const roots: Fold[] = [];
	const open: { readonly nodes: readonly Node[]; readonly into: Fold[]; readonly parent: Fold | undefined }[] = [
		{ nodes: start, into: roots, parent: undefined },
	];
	for (let level = open.pop(); level !== undefined; level = open.pop()) {
		for (const alike of groups(level.nodes)) {
			const [first] = alike;
			if (first === undefined) continue;
			const below: Fold[] = [];
			const durations = alike.map(({ span }) => (span.endMicros - span.startMicros) / 1_000);
			const fold: Fold = {
				span: first.span,
				depth: level.parent === undefined ? 0 : level.parent.depth + 1,
				parent: level.parent,
				count: alike.length,
				times: alike.length * (level.parent?.times ?? 1),
				shortest: durations.reduce((least, each) => Math.min(least, each), Infinity),
				longest: durations.reduce((most, each) => Math.max(most, each), -Infinity),
				spans: alike.reduce((sum, { spans: own }) => sum + own, 0),
				errors: alike.reduce((sum, { errors }) => sum + errors, 0),
				isCritical: alike.some(({ at }) => critical.has(at)),
				below,
			};
			level.into.push(fold);
			if (first.below.length > 0) open.push({ nodes: first.below, into: below, parent: fold });
		}
	}
	return roots;
}

/** Shapes of the spans below one, with how often each comes; order does not count, as tools run side by side. */
function runsOf(nodes: readonly Node[]): readonly (readonly [number, number])[] {
	const counts = new Map<number, number>();
	for (const { shape } of nodes) counts.set(shape, (counts.get(shape) ?? 0) + 1);
	return [...counts].sort(([a], [b]) => a - b);
}

function groups(nodes: readonly Node[]): readonly (readonly Node[])[] {
	const byShape = new Map<number, Node[]>();
	for (const node of nodes) {
		const alike = byShape.get(node.shape);
		if (alike === undefined) byShape.set(node.shape, [node]);
		else alike.push(node);
	}
	return nodes.flatMap((node) => {
		const alike = byShape.get(node.shape) ?? [];
		if (alike.length <= MOST_UNFOLDED) return [[node]];
		return alike[0] === node ? [alike] : [];
	});
}

function toTree(spans: readonly OutlineSpan[]): {
	readonly tops: readonly Node[];
	readonly parentsFirst: readonly Node[];
} {
	const nodes = spans.map(
		(span, at): Node => ({ span, at, below: [], spans: 1, errors: span.isError ? 1 : 0, shape: -1 }),
	);
	const byId = new Map<string, Node>();
	// The same id may occur twice with different starts; the first one has the children.
	for (const node of nodes) if (!byId.has(node.span.spanId)) byId.set(node.span.spanId, node);
	const tops: Node[] = [];
	for (const node of nodes) {
		const parent = node.span.parentId === null ? undefined : byId.get(node.span.parentId);
		if (parent === undefined || parent === node) tops.push(node);
		else parent.below.push(node);
	}
	const parentsFirst: Node[] = [];
	const seen = new Set<Node>();
	const walk = (top: Node) => {
		const open = [top];
		for (let node = open.pop(); node !== undefined; node = open.pop()) {
			seen.add(node);
			parentsFirst.push(node);
			for (const child of node.below) if (!seen.has(child)) open.push(child);
		}
	};
	for (const top of tops) walk(top);
	if (seen.size < nodes.length) breakCycles(nodes, { seen, tops, walk });
	return { tops, parentsFirst };
}

/** Spans that are each other's parents are below nothing: the first of them is put at the top. */
function breakCycles(
	nodes: readonly Node[],
	{ seen, tops, walk }: { readonly seen: ReadonlySet<Node>; readonly tops: Node[]; readonly walk: (top: Node) => void },
): void {
	const byId = new Map(nodes.toReversed().map((node) => [node.span.spanId, node]));
	for (const node of nodes) {
		if (seen.has(node)) continue;
		const parent = byId.get(node.span.parentId ?? "");
		parent?.below.splice(parent.below.indexOf(node), 1);
		tops.push(node);
		walk(node);
	}
}

/**
 * The spans that would have to be faster for the trace to end earlier. From the end of a span backwards, time belongs to
 * the child that ended last before, and to the span itself where no child ran: the same path as that of the page of a
 * trace.
 * @returns positions in the list of spans
 */
function criticalSpans(tops: readonly Node[]): ReadonlySet<number> {
	const critical = new Set<number>();
	const byEnd = (nodes: readonly Node[]) => [...nodes].sort((a, b) => a.span.endMicros - b.span.endMicros);
	const all = byEnd(tops);
	const end = all.at(-1)?.span.endMicros ?? 0;
	const open = [{ at: -1, start: -Infinity, end, cursor: end, below: all }];
	for (let visit = open.at(-1); visit !== undefined; visit = open.at(-1)) {
		const child = visit.below.pop();
		if (child === undefined) {
			if (visit.at >= 0 && visit.cursor > visit.start) critical.add(visit.at);
			open.pop();
			continue;
		}
		const childEnd = Math.min(child.span.endMicros, visit.end);
		const childStart = Math.max(child.span.startMicros, visit.start);
		// One that was still running when the next one on the path began did not hold it up.
		if (childEnd > visit.cursor || childStart >= childEnd) continue;
		if (visit.at >= 0 && visit.cursor > childEnd) critical.add(visit.at);
		visit.cursor = childStart;
		open.push({ at: child.at, start: childStart, end: childEnd, cursor: childEnd, below: byEnd(child.below) });
	}
	return critical;
}

import type { SpanOutline } from "#storage/traces/trace-store.ts";

/** What an outline needs to know of a span. */
export type OutlineSpan = Omit<SpanOutline, "id" | "projectId" | "traceId">;

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
	/** Most spans have nothing below them: {@link NOTHING}. */
	below: Node[];
	spans: number;
	errors: number;
	/** Equal for spans that look alike, with all that is below them. */
	shape: number;
	isReached: boolean;
}

const NOTHING: Node[] = [];

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
	const shapes = new Shapes();
	for (let at = parentsFirst.length - 1; at >= 0; at -= 1) {
		const node = parentsFirst[at];
		if (node === undefined) continue;
		for (const child of node.below) {
			node.spans += child.spans;
			node.errors += child.errors;
		}
		node.shape = shapes.of(node);
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

/** Numbers from 0, the same for equal values. */
class Numbers<Value> {
	readonly #numbers = new Map<Value, number>();

	of(value: Value): number {
		const known = this.#numbers.get(value);
		if (known !== undefined) return known;
		this.#numbers.set(value, this.#numbers.size);
		return this.#numbers.size - 1;
	}
}

/** More than there are spans. */
const MOST_NUMBERS = 2 ** 20;

/** Numbers that are the same for spans that look alike, with all that is below them. */
class Shapes {
	readonly #names = new Numbers<string>();
	readonly #models = new Numbers<string | null>();
	readonly #kinds = new Numbers<string>();
	/** A number for a span with nothing below it, which most are; otherwise a text. */
	readonly #shapes = new Numbers<number | string>();

	of({ span, below }: Node): number {
		const { name, kind, isError, model } = span;
		const kindAndStatus = this.#kinds.of(kind) * 2 + (isError ? 1 : 0);
		const look = (kindAndStatus * MOST_NUMBERS + this.#models.of(model)) * MOST_NUMBERS + this.#names.of(name);
		if (below.length === 0) return this.#shapes.of(look);
		// Order does not count, as tools run side by side.
		const shapes = below.map(({ shape }) => shape).sort((a, b) => a - b);
		return this.#shapes.of(`${look} ${shapes.join(" ")}`);
	}
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
		(span, at): Node => ({
			span,
			at,
			below: NOTHING,
			spans: 1,
			errors: span.isError ? 1 : 0,
			shape: -1,
			isReached: false,
		}),
	);
	const byId = new Map<string, Node>();
	// The same id may occur twice with different starts; the first one has the children.
	for (let at = nodes.length - 1; at >= 0; at -= 1) {
		const node = nodes[at];
		if (node !== undefined) byId.set(node.span.spanId, node);
	}
	const tops: Node[] = [];
	for (const node of nodes) {
		const { parentSpanId } = node.span;
		const parent = parentSpanId === null ? undefined : byId.get(parentSpanId);
		if (parent === undefined || parent === node) tops.push(node);
		else if (parent.below === NOTHING) parent.below = [node];
		else parent.below.push(node);
	}
	const parentsFirst: Node[] = [];
	const walk = (top: Node) => {
		const open = [top];
		for (let node = open.pop(); node !== undefined; node = open.pop()) {
			node.isReached = true;
			parentsFirst.push(node);
			for (const child of node.below) if (!child.isReached) open.push(child);
		}
	};
	for (const top of tops) walk(top);
	if (parentsFirst.length < nodes.length) breakCycles(nodes, tops, walk);
	return { tops, parentsFirst };
}

/** Spans that are each other's parents are below nothing: the first of them is put at the top. */
function breakCycles(nodes: readonly Node[], tops: Node[], walk: (top: Node) => void): void {
	const byId = new Map(nodes.toReversed().map((node) => [node.span.spanId, node]));
	for (const node of nodes) {
		if (node.isReached) continue;
		const parent = byId.get(node.span.parentSpanId ?? "");
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

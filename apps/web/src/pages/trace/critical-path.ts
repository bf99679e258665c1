import { spanInRow, type TraceTree } from "./trace-tree.ts";

/** Part of a span during which the trace waited for it. Microseconds since 1970. */
export interface CriticalPart {
	readonly startMicros: number;
	readonly endMicros: number;
}

interface TimedRow extends CriticalPart {
	readonly position: number;
}

interface Visit extends TimedRow {
	/** What is after it has been attributed; goes from the end to the start. */
	cursor: number;
	/** Spans directly below that were not looked at yet; the one that ended last is at the end. */
	readonly below: TimedRow[];
}

/** The trace as a whole, above all roots. */
const WHOLE = -1;

/**
 * The critical path: the spans that would have to be faster for the trace to end earlier. From the end of a span
 * backwards, time belongs to the child that ended last before, and to the span itself where no child ran. A child counts
 * only while its parent ran. Parts are listed by position, the last one first; O(n log n), without recursion.
 */
export function criticalPath(tree: TraceTree): ReadonlyMap<number, readonly CriticalPart[]> {
	const parts = new Map<number, CriticalPart[]>();
	const below = spansBelow(tree);
	const roots = below.get(WHOLE) ?? [];
	const end = roots.at(-1)?.endMicros ?? 0;
	const open: Visit[] = [
		{ position: WHOLE, startMicros: Number.NEGATIVE_INFINITY, endMicros: end, cursor: end, below: roots },
	];
	for (let visit = open.at(-1); visit; visit = open.at(-1)) {
		const child = visit.below.pop();
		if (child === undefined) {
			add(parts, visit.position, visit.startMicros, visit.cursor);
			open.pop();
			continue;
		}
		const endMicros = Math.min(child.endMicros, visit.endMicros);
		const startMicros = Math.max(child.startMicros, visit.startMicros);
		// One that was still running when the next one on the path began did not hold it up.
		if (endMicros > visit.cursor || startMicros >= endMicros) continue;
		add(parts, visit.position, endMicros, visit.cursor);
		visit.cursor = startMicros;
		const { position } = child;
		open.push({ position, startMicros, endMicros, cursor: endMicros, below: below.get(position) ?? [] });
	}
	return parts;
}

function add(parts: Map<number, CriticalPart[]>, position: number, startMicros: number, endMicros: number): void {
	if (position === WHOLE || endMicros <= startMicros) return;
	const known = parts.get(position);
	if (known) known.push({ startMicros, endMicros });
	else parts.set(position, [{ startMicros, endMicros }]);
}

/** The spans directly below each position, by their end; those of a missing parent are below the span above it. */
function spansBelow(tree: TraceTree): Map<number, TimedRow[]> {
	const below = new Map<number, TimedRow[]>();
	for (let position = 0; position < tree.length; position++) {
		const span = spanInRow(tree, position);
		if (!span) continue;
		let parent = tree.parentAt[position] ?? WHOLE;
		while (parent !== WHOLE && !spanInRow(tree, parent)) parent = tree.parentAt[parent] ?? WHOLE;
		const row = { position, startMicros: span.startMicros, endMicros: span.endMicros };
		const siblings = below.get(parent);
		if (siblings) siblings.push(row);
		else below.set(parent, [row]);
	}
	for (const siblings of below.values()) siblings.sort((a, b) => a.endMicros - b.endMicros);
	return below;
}

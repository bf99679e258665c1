import { flagsOf, hasUsage, type SpanNode, USAGE_FLAGS } from "./span-node.ts";

/** The stored spans of a trace, as far as a writer needs them. */
export interface StoredNodes {
	/** Spans of this id; several when they start at different times. */
	bySpanId(spanId: string): readonly SpanNode[];
	/** Whether a stored child of this span has usage, or has usage below it. */
	hasUsageBelow(spanId: string): boolean;
}

export const NO_STORED_NODES: StoredNodes = { bySpanId: () => [], hasUsageBelow: () => false };

/** Traces up to this size are read completely when spans are added; of larger ones only the needed spans. */
export const WHOLE_TRACE_SPANS = 64;

/** A trace whose spans have all been read. */
export function wholeTrace(nodes: readonly SpanNode[]): StoredNodes {
	const bySpanId = Map.groupBy(nodes, (node) => node.spanId);
	const withUsageBelow = new Set(
		nodes
			.filter((node) => node.parentSpanId !== node.spanId && (flagsOf(node) & USAGE_FLAGS) !== 0)
			.map((node) => node.parentSpanId),
	);
	return {
		bySpanId: (spanId) => bySpanId.get(spanId) ?? [],
		hasUsageBelow: (spanId) => withUsageBelow.has(spanId),
	};
}

/**
 * The spans of one trace as a tree, while spans are added. Keeps the marks "usage below" correct for any order: all
 * stored ancestors of a marked span are marked, so marking stops at the first marked one.
 */
export class TraceNodes {
	/** Stored spans that were marked because of the added ones. */
	readonly marked = new Set<SpanNode>();
	readonly #stored: StoredNodes;
	readonly #bySpanId = new Map<string, SpanNode[]>();
	/** Spans with usage at or below them, by parent id. */
	readonly #usageUnder = new Set<string>();
	readonly #added = new Set<SpanNode>();

	constructor(stored: StoredNodes) {
		this.#stored = stored;
	}

	find(spanId: string): SpanNode[] {
		let nodes = this.#bySpanId.get(spanId);
		if (nodes === undefined) {
			nodes = [...this.#stored.bySpanId(spanId)];
			this.#bySpanId.set(spanId, nodes);
		}
		return nodes;
	}

	findAt(spanId: string, startMicros: number, startNanos: number): SpanNode | undefined {
		return this.find(spanId).find((node) => node.startMicros === startMicros && node.startNanos === startNanos);
	}

	add(node: SpanNode): void {
		this.find(node.spanId).push(node);
		this.#added.add(node);
		if (this.#usageUnder.has(node.spanId) || this.#stored.hasUsageBelow(node.spanId)) node.usageBelow = true;
		if (node.usageBelow || hasUsage(node)) this.#markAncestors(node);
	}

	/** Puts spans in the places of stored ones with the same parents and without usage. Call it before `add`. */
	replace(pairs: readonly (readonly [stored: SpanNode, node: SpanNode])[]): void {
		for (const [stored, node] of pairs) {
			const nodes = this.find(node.spanId);
			nodes[nodes.indexOf(stored)] = node;
			this.#added.add(node);
			node.usageBelow = stored.usageBelow;
		}
		// Only now, as marks are for those that stay.
		for (const [, node] of pairs) if (node.usageBelow || hasUsage(node)) this.#markAncestors(node);
	}

	#markAncestors(node: SpanNode): void {
		let parents = this.#parentsOf(node);
		while (parents.length > 0) {
			const next: SpanNode[] = [];
			for (const parent of parents) {
				if (parent.usageBelow) continue;
				parent.usageBelow = true;
				if (!this.#added.has(parent)) this.marked.add(parent);
				next.push(...this.#parentsOf(parent));
			}
			parents = next;
		}
	}

	#parentsOf(node: SpanNode): readonly SpanNode[] {
		// A span that names itself as its parent has no ancestors.
		if (node.parentSpanId === null || node.parentSpanId === node.spanId) return [];
		this.#usageUnder.add(node.parentSpanId);
		return this.find(node.parentSpanId);
	}
}

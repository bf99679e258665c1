import type { SummedCost } from "./cost-pico.ts";
import { addTo, type Histogram, latencyBucket } from "./latency-histogram.ts";
import { addCounted, addUsage, noTotals, type Totals } from "./rollup.ts";
import type { SpanNode } from "./span-node.ts";
import type { TotalsColumns } from "./totals-columns.ts";

export const HOUR_MICROS = 3_600_000_000;
/** More than there are kinds of spans. */
const MOST_KINDS = 256;

/** The hour of a time, counted since 1970. */
export function hourOf(micros: number): number {
	return Math.floor(micros / HOUR_MICROS);
}

export interface HourChange {
	readonly projectId: number;
	readonly hour: number;
	readonly kind: number;
	readonly model: string;
	traces: number;
	readonly totals: Totals;
	readonly latency: Histogram;
}

/**
 * Changes of the totals by project, hour, kind and model within one transaction. A span counts in the hour in which it
 * starts; a trace in the hour in which it starts, under kind and model of its root.
 */
export class HourChanges {
	#changes: HourChange[] = [];
	/** By model, and by hour and kind. No texts as keys of all four: it is done for each span. */
	readonly #groups = new Map<string, Map<number, HourChange[]>>();

	/** Adds (1) or subtracts (-1) a span, with the mark "usage below" as it is stored. */
	addSpan(projectId: number, node: SpanNode, sign: 1 | -1): void {
		const change = this.#at(projectId, node.startMicros, node);
		change.totals.spans += sign;
		if (node.statusCode === 2) change.totals.errors += sign;
		addCounted(change.totals, node, sign);
		if (node.isRunning) change.totals.running += sign;
		else addTo(change.latency, latencyBucket(node.endMicros - node.startMicros), sign);
	}

	/** Subtracts a span that counted until a descendant had usage. */
	discountSpan(projectId: number, node: SpanNode): void {
		addUsage(this.#at(projectId, node.startMicros, node).totals, node, -1);
	}

	/** Adds to the cost of a stored span that counts. */
	addCost(projectId: number, node: SpanNode, gain: SummedCost): void {
		const { totals } = this.#at(projectId, node.startMicros, node);
		totals.costMicro += gain.micro;
		totals.costPico += gain.pico;
	}

	/** Adds so many traces with such a root; a negative number subtracts. */
	addTrace(projectId: number, startMicros: number, root: { kind: number; model: string | null }, count: number): void {
		this.#at(projectId, startMicros, root).traces += count;
	}

	list(): HourChange[] {
		return [...this.#changes];
	}

	/** Removes the changes of the hours before `hour`. @returns these changes */
	takeBefore(hour: number): HourChange[] {
		const taken = this.#changes.filter((change) => change.hour < hour);
		this.#changes = this.#changes.filter((change) => change.hour >= hour);
		for (const { model, hour, kind } of taken) this.#groups.get(model)?.delete(keyOf(hour, kind));
		return taken;
	}

	clear(): void {
		this.#changes = [];
		this.#groups.clear();
	}

	#at(projectId: number, micros: number, group: { kind: number; model: string | null }): HourChange {
		const hour = hourOf(micros);
		const model = group.model ?? "";
		let ofModel = this.#groups.get(model);
		if (ofModel === undefined) {
			ofModel = new Map();
			this.#groups.set(model, ofModel);
		}
		const key = keyOf(hour, group.kind);
		let ofProjects = ofModel.get(key);
		if (ofProjects === undefined) {
			ofProjects = [];
			ofModel.set(key, ofProjects);
		}
		const known = ofProjects.find((change) => change.projectId === projectId);
		if (known !== undefined) return known;
		const { kind } = group;
		const change = { projectId, hour, kind, model, traces: 0, totals: noTotals(), latency: new Map() };
		ofProjects.push(change);
		this.#changes.push(change);
		return change;
	}
}

function keyOf(hour: number, kind: number): number {
	return hour * MOST_KINDS + kind;
}

/** A row of `hours`. */
export interface HourRow extends Omit<TotalsColumns, "costed_spans"> {
	readonly project_id: number;
	readonly hour: number;
	readonly kind: number;
	readonly model: string;
	readonly trace_count: number;
	readonly latency: Uint8Array;
}

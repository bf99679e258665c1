import type { WhenEmpty } from "../mutate/batches.ts";
import type { Totals } from "./rollup.ts";

export interface Bounds {
	readonly startMicros: number;
	readonly startNanos: number;
	readonly endMicros: number;
	readonly endNanos: number;
}

/** What a session gains when a transaction adds traces to it or spans to its traces. */
export interface SessionGain {
	traces: number;
	readonly totals: Totals;
	bounds: Bounds;
}

/** Changes of sessions within one transaction, by row number; to be written after the rows of the traces. */
export class SessionChanges {
	readonly #gains = new Map<number, SessionGain>();
	readonly #recompute = new Map<number, WhenEmpty>();

	/** Adds `totals` to a session, of a new trace (`traces` 1) or of one that has grown (0). */
	grow(sessionRowId: number, traces: number, totals: Totals, bounds: Bounds): void {
		const known = this.#gains.get(sessionRowId);
		if (known === undefined) {
			this.#gains.set(sessionRowId, { traces, totals: { ...totals }, bounds });
			return;
		}
		known.traces += traces;
		for (const key of Object.keys(known.totals) as (keyof Totals)[]) known.totals[key] += totals[key];
		known.bounds = wider(known.bounds, bounds);
	}

	/** Marks a session that lost a trace or part of one: its row is recomputed. */
	shrink(sessionRowId: number, whenEmpty: WhenEmpty): void {
		if (this.#recompute.get(sessionRowId) !== "drop") this.#recompute.set(sessionRowId, whenEmpty);
	}

	/** Gains of the sessions that only gained. */
	gains(): [id: number, gain: SessionGain][] {
		return [...this.#gains].filter(([id]) => !this.#recompute.has(id));
	}

	/** Sessions that lost something, with what to do when they are empty. */
	shrunk(): [id: number, whenEmpty: WhenEmpty][] {
		return [...this.#recompute];
	}

	clear(): void {
		this.#gains.clear();
		this.#recompute.clear();
	}
}

export function wider(a: Bounds, b: Bounds): Bounds {
	const first =
		a.startMicros < b.startMicros || (a.startMicros === b.startMicros && a.startNanos <= b.startNanos) ? a : b;
	const last = a.endMicros > b.endMicros || (a.endMicros === b.endMicros && a.endNanos >= b.endNanos) ? a : b;
	const { startMicros, startNanos } = first;
	return { startMicros, startNanos, endMicros: last.endMicros, endNanos: last.endNanos };
}

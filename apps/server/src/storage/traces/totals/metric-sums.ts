import type { MetricsPoint } from "../trace-store.ts";
import { toDollars } from "./cost-pico.ts";
import { HOUR_MICROS } from "./hour-changes.ts";
import { LatencyCounts } from "./latency-counts.ts";
import { latencyBucket } from "./latency-histogram.ts";
import { counts, type SpanNode } from "./span-node.ts";

/** Widths of a chart's buckets, in microseconds. */
export const BUCKET_MICROS = { minute: 60_000_000, hour: HOUR_MICROS, day: 24 * HOUR_MICROS } as const;

interface Sum {
	readonly startMicros: number;
	readonly group: string | null;
	traces: number;
	spans: number;
	running: number;
	errors: number;
	prompt: number;
	completion: number;
	total: number;
	costMicro: number;
	costPico: number;
	readonly latency: LatencyCounts;
}

/** The sums of a chart, by time bucket and group. */
export class Sums {
	readonly #width: number;
	readonly #sums = new Map<string | null, Map<number, Sum>>();

	constructor(width: number) {
		this.#width = width;
	}

	at(micros: number, group: string | null): Sum {
		const startMicros = Math.floor(micros / this.#width) * this.#width;
		let sums = this.#sums.get(group);
		if (sums === undefined) {
			sums = new Map();
			this.#sums.set(group, sums);
		}
		let sum = sums.get(startMicros);
		if (sum === undefined) {
			const none = {
				traces: 0,
				spans: 0,
				running: 0,
				errors: 0,
				prompt: 0,
				completion: 0,
				total: 0,
				costMicro: 0,
				costPico: 0,
			};
			sum = { startMicros, group, ...none, latency: new LatencyCounts() };
			sums.set(startMicros, sum);
		}
		return sum;
	}

	addSpan(node: SpanNode, group: string | null): void {
		const sum = this.at(node.startMicros, group);
		sum.spans += 1;
		if (node.statusCode === 2) sum.errors += 1;
		if (node.isRunning) sum.running += 1;
		else sum.latency.add(latencyBucket(node.endMicros - node.startMicros), 1);
		if (!counts(node)) return;
		sum.prompt += node.prompt;
		sum.completion += node.completion;
		sum.total += node.total;
		sum.costMicro += node.cost?.micro ?? 0;
		sum.costPico += node.cost?.pico ?? 0;
	}

	points(): MetricsPoint[] {
		const sums = [...this.#sums.values()].flatMap((group) => [...group.values()]);
		return sums.map(toPoint).sort((a, b) => a.startMicros - b.startMicros || byGroup(a, b));
	}
}

function byGroup(a: MetricsPoint, b: MetricsPoint): number {
	const [left, right] = [a.group ?? "", b.group ?? ""];
	return left < right ? -1 : left > right ? 1 : 0;
}

function toPoint(sum: Sum): MetricsPoint {
	const [p50, p95, p99] = sum.latency.quantiles([0.5, 0.95, 0.99]) ?? [];
	const hasLatency = p50 !== undefined && p95 !== undefined && p99 !== undefined;
	return {
		startMicros: sum.startMicros,
		group: sum.group,
		traceCount: sum.traces,
		spanCount: sum.spans,
		runningCount: sum.running,
		errorCount: sum.errors,
		latencyMs: hasLatency ? { p50, p95, p99 } : null,
		tokens: { prompt: sum.prompt, completion: sum.completion, total: sum.total },
		cost: toDollars({ micro: sum.costMicro, pico: sum.costPico }),
	};
}

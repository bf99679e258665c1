import type { Keyset, MetricsBucket, Page } from "#storage/traces/trace-store.ts";

/** What a row of a list adds to its bucket. */
export interface RowNumbers {
	readonly startMicros: number;
	readonly traceCount: number;
	readonly spanCount: number;
	/** Spans without an end. */
	readonly runningCount: number;
	readonly errorCount: number;
	/** Undefined for rows that run. */
	readonly latencyMs: number | undefined;
	readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number };
	readonly cost: number;
}

export interface RowsPoint extends Omit<RowNumbers, "latencyMs"> {
	/** Null when all of its rows run. */
	readonly latencyMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
}

export interface RowsSeries {
	/** By start; buckets without rows are left out. */
	readonly points: readonly RowsPoint[];
	/** Start of the earliest row that was read; undefined when all were. */
	readonly readUntil: number | undefined;
}

/** Rows and time that one series may take. */
const MAX_ROWS = 10_000;
const MAX_MS = 2_000;
export const ROWS_AT_A_TIME = 1_000;

export const BUCKET_MICROS: Readonly<Record<MetricsBucket, number>> = { minute: 60e6, hour: 3_600e6, day: 86_400e6 };

/**
 * Sums rows by the bucket in which they start, reading pages from the newest row on: all of them, unless there are more
 * than can be read at once.
 */
export async function readSeries<T>(
	bucket: MetricsBucket,
	readPage: (after: Keyset | undefined) => Promise<Page<T>>,
	toNumbers: (row: T) => RowNumbers,
): Promise<RowsSeries> {
	const size = BUCKET_MICROS[bucket];
	const buckets = new Map<number, RowNumbers[]>();
	const end = performance.now() + MAX_MS;
	let rows = 0;
	let readUntil: number | undefined;
	let next: Keyset | undefined;
	do {
		const page: Page<T> = await readPage(next);
		for (const item of page.items) {
			const numbers = toNumbers(item);
			const start = Math.floor(numbers.startMicros / size) * size;
			const list = buckets.get(start);
			if (list === undefined) buckets.set(start, [numbers]);
			else list.push(numbers);
			readUntil = numbers.startMicros;
		}
		rows += page.items.length;
		next = page.next;
	} while (next !== undefined && rows < MAX_ROWS && performance.now() < end);
	const points = [...buckets].toSorted(([a], [b]) => a - b).map(([start, list]) => sum(start, list));
	// The position of the next page is where the search stands, even if it found nothing on the way.
	return { points, readUntil: next === undefined ? undefined : Math.min(next.value, readUntil ?? next.value) };
}

function sum(startMicros: number, rows: readonly RowNumbers[]): RowsPoint {
	const of = (read: (row: RowNumbers) => number) => rows.reduce((total, row) => total + read(row), 0);
	const latencies = rows
		.map((row) => row.latencyMs)
		.filter((latency) => latency !== undefined)
		.toSorted((a, b) => a - b);
	const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? 0;
	return {
		startMicros,
		traceCount: of((row) => row.traceCount),
		spanCount: of((row) => row.spanCount),
		runningCount: of((row) => row.runningCount),
		errorCount: of((row) => row.errorCount),
		latencyMs: latencies.length === 0 ? null : { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) },
		tokens: {
			prompt: of((row) => row.tokens.prompt),
			completion: of((row) => row.tokens.completion),
			total: of((row) => row.tokens.total),
		},
		cost: of((row) => row.cost),
	};
}

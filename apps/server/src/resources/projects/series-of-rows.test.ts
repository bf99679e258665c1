import { expect, test } from "vitest";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { BUCKET_MICROS, ROWS_AT_A_TIME, readSeries } from "./series-of-rows.ts";

const HOUR = BUCKET_MICROS.hour;

/** Pages of rows that start one second apart, newest first, down to 1970. */
function pages(count: number) {
	return async (after: Keyset | undefined) => {
		const newest = after === undefined ? count : after.value;
		const size = Math.min(ROWS_AT_A_TIME, newest);
		const items = Array.from({ length: size }, (_, index) => newest - 1 - index);
		const left = newest - size;
		return { items, more: left > 0, ...(left > 0 ? { next: { value: left, id: left } } : {}) };
	};
}

const numbers = (second: number) => ({
	startMicros: second * 1e6,
	traceCount: 1,
	spanCount: 2,
	runningCount: 0,
	errorCount: second % 2,
	latencyMs: second % 100,
	tokens: { prompt: 1, completion: 2, total: 3 },
	cost: 0.5,
});

test("rows are summed by the bucket that they start in", async () => {
	const { points, readUntil } = await readSeries("hour", pages(3_700), numbers);
	expect(readUntil).toBeUndefined();
	expect(points.map(({ startMicros, traceCount }) => [startMicros, traceCount])).toEqual([
		[0, 3_600],
		[HOUR, 100],
	]);
	expect(points[1]).toMatchObject({
		spanCount: 200,
		errorCount: 50,
		latencyMs: { p50: 49, p95: 94, p99: 98 },
		tokens: { prompt: 100, completion: 200, total: 300 },
		cost: 50,
	});
});

test("rows that run count as such, and have no part in the latencies", async () => {
	const running = (second: number) => ({ ...numbers(second), runningCount: 1, latencyMs: undefined });
	const { points } = await readSeries("hour", pages(100), (second) =>
		second < 50 ? running(second) : numbers(second),
	);
	expect(points).toMatchObject([{ runningCount: 50, latencyMs: { p50: 74 } }]);
	const { points: only } = await readSeries("hour", pages(3), running);
	expect(only).toMatchObject([{ runningCount: 3, latencyMs: null }]);
});

test("with more rows than can be read at once, it says how far back they were read", async () => {
	const { points, readUntil } = await readSeries("hour", pages(20_000), (second) => numbers(second));
	const read = points.reduce((sum, { traceCount }) => sum + traceCount, 0);
	expect(read).toBe(10_000);
	expect(points[0]?.startMicros).toBe(Math.floor((10_000 * 1e6) / HOUR) * HOUR);
	// The next row's start, as the test's cursor has it.
	expect(readUntil).toBe(10_000);
});

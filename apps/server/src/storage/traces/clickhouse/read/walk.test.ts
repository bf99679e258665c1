import { afterEach, expect, test, vi } from "vitest";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import { type Walk, walk } from "./walk.ts";

afterEach(() => vi.useRealTimers());

/** A slow list of numbers, which has none. */
function emptyList(): Walk<number> {
	return {
		...{ order: "desc", limit: 10, begun: performance.now(), after: undefined, isSlow: true },
		...{ edges: { from: 0, to: 100 }, width: 1_000, least: 64 },
		keyOf: (value) => ({ value, id: value }),
		read: async () => [],
	};
}

const tooSlow = () => new ClickHouseFailure("too_slow", "the statement took too long");

test("behind the last window nothing is looked for, so the page does not end with a position there", async () => {
	const next = () => Promise.reject(tooSlow());
	expect(await walk({ ...emptyList(), next })).toEqual({ rows: [] });
	expect(await walk({ ...emptyList(), order: "asc", next })).toEqual({ rows: [] });
});

test("the narrowest window, with the fewest rows, has the time that it takes", async () => {
	const read: Walk<number>["read"] = async (_window, _after, _limit, { until }) => {
		if (until !== undefined) throw tooSlow();
		return [];
	};
	async function* keep(rows: readonly number[]) {
		for (const row of rows) yield { rows: [row], last: row };
	}
	const page = { rows: [], stoppedAt: { value: 36, id: 1 } };
	expect(await walk({ ...emptyList(), read })).toEqual(page);
	expect(await walk({ ...emptyList(), read, keep })).toEqual(page);
	expect(await walk({ ...emptyList(), read, isById: true })).toEqual({ rows: [], stoppedAt: { value: 36, id: 36 } });
});

test("windows widen although each statement takes its time", async () => {
	vi.useFakeTimers({ toFake: ["performance"] });
	const widths: number[] = [];
	await walk({
		...emptyList(),
		...{ edges: { from: 0, to: 1_000_000 }, width: 100, least: 10, begun: performance.now() },
		read: async ({ from, to }) => {
			widths.push(to - from);
			vi.advanceTimersByTime(20);
			return [];
		},
	});
	expect(widths.slice(0, 3)).toEqual([100, 400, 1_600]);
});

test("a window is as wide as the rows that are left need, and wider again where there are none", async () => {
	const windows: (readonly [from: number, to: number])[] = [];
	const list = {
		...emptyList(),
		...{ limit: 100, edges: { from: 0, to: 1_000_000 }, width: 8_000, least: 64, isSlow: false },
	};
	const valuesFrom = (lowest: number, each: number) =>
		walk({
			...list,
			read: async ({ from, to }, _after, limit) => {
				windows.push([from, to]);
				const values: number[] = [];
				for (let value = to - 1; value >= Math.max(from, lowest); value -= 1)
					if (value % each === 0) values.push(value);
				return values.slice(0, limit);
			},
		});
	expect((await valuesFrom(0, 100)).rows).toHaveLength(100);
	const [first, second, ...others] = windows.splice(0);
	expect([first, others]).toEqual([[992_000, 1_000_000], []]);
	// 21 are left, and 32 may be needed where 80 lie in 8,000.
	expect(second?.[1]).toBe(992_000);
	expect(second?.[0]).toBeGreaterThan(992_000 - 4_000);
	expect((await valuesFrom(992_000, 100)).rows).toHaveLength(80);
	const widths = windows.map(([from, to]) => to - from);
	expect(widths.length).toBeLessThan(10);
	expect(widths.slice(2, 5)).toEqual([1, 2, 3].map((power) => (widths[1] ?? 0) * 4 ** power));
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ClickHouseFailure } from "#storage/clickhouse/failures.ts";
import { type Walk, walk } from "./walk.ts";

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
	const widths: number[] = [];
	await walk({
		...emptyList(),
		...{ edges: { from: 0, to: 1_000_000 }, width: 100, least: 10, begun: performance.now() },
		read: async ({ from, to }) => {
			widths.push(to - from);
			await sleep(20);
			return [];
		},
	});
	expect(widths.slice(0, 3)).toEqual([100, 400, 1_600]);
});

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
	const page = { rows: [], stoppedAt: { value: 36, id: 0 } };
	expect(await walk({ ...emptyList(), read })).toEqual(page);
	expect(await walk({ ...emptyList(), read, keep })).toEqual(page);
});

test("windows widen although each statement takes long, and a page ends before the time is up", async () => {
	const widths: number[] = [];
	const list: Walk<number> = {
		...emptyList(),
		...{ edges: { from: 0, to: 1_000_000 }, width: 100, least: 10, begun: performance.now() },
		read: async ({ from, to }) => {
			widths.push(to - from);
			await sleep(250);
			return [];
		},
	};
	const { stoppedAt } = await walk(list);
	expect(performance.now() - list.begun).toBeLessThan(1_700);
	expect(widths.slice(0, 3)).toEqual([100, 400, 1_600]);
	expect(stoppedAt?.value).toBeLessThan(1_000_000 - 2_000);
});

test("windows widen no further than there is time where wider ones take longer", async () => {
	const list: Walk<number> = {
		...emptyList(),
		...{ edges: { from: 0, to: 1_000_000 }, width: 100, least: 10, begun: performance.now() },
		read: async ({ from, to }, _after, _limit, { until }) => {
			const took = (to - from) / 4;
			if (until !== undefined && performance.now() + took > until) throw tooSlow();
			await sleep(took);
			return [];
		},
	};
	const { stoppedAt } = await walk(list);
	expect(performance.now() - list.begun).toBeLessThan(1_700);
	// In 1.5 s, 6,000 could be looked at.
	expect(1_000_000 - (stoppedAt?.value ?? 0)).toBeGreaterThan(4_000);
});

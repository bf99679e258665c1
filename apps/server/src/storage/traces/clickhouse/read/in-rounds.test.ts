import { expect, test } from "vitest";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { inRounds } from "./in-rounds.ts";

/** Of places 1 to 1,000, each a row that is there or gone. @returns the rows found and how many places were asked for */
async function read(limit: number, isThere: (place: number) => boolean) {
	const asked: number[] = [];
	const rows = await inRounds<number, number>(limit, undefined, {
		find: async (after: Keyset | undefined, most) => {
			asked.push(most);
			const from = (after?.id ?? 0) + 1;
			return Array.from({ length: Math.min(most, 1_001 - from) }, (_, index) => from + index);
		},
		read: async (places) => places.filter(isThere),
		keyOf: (place) => ({ value: place, id: place }),
	});
	return { rows, rounds: asked.length };
}

test("a page whose rows are there takes one round", async () => {
	expect(await read(3, () => true)).toEqual({ rows: [1, 2, 3], rounds: 1 });
});

test("rows behind many that are gone are found, and none is left out", async () => {
	const { rows, rounds } = await read(3, (place) => place === 2 || place > 500);
	expect(rows).toEqual([2, 501, 502]);
	expect(rounds).toBeGreaterThan(1);
});

test("a list ends where its places do", async () => {
	expect((await read(30, (place) => place > 990)).rows).toEqual([991, 992, 993, 994, 995, 996, 997, 998, 999, 1_000]);
});

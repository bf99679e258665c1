import { expect, test } from "vitest";
import { Paged } from "./paged.ts";

const pageOf = (cursor: string | undefined) =>
	Promise.resolve({ data: [1], next_cursor: cursor === undefined ? "x" : null, is_partial: cursor === undefined });

test("a list is partial when one of its pages was, whatever the later ones are", async () => {
	const list = new Paged(pageOf);
	expect(list.isPartial).toBe(false);
	expect(await list.toArray()).toEqual([1, 1]);
	expect(list.isPartial).toBe(true);
	const parts = Paged.ofParts([1, 2], (_part, cursor) => pageOf(cursor));
	expect([await parts.toArray(), parts.isPartial]).toEqual([[1, 1, 1, 1], true]);
});

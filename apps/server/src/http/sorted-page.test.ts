import { expect, test } from "vitest";
import { sortedPage } from "./sorted-page.ts";

const items = [3, null, 1, 3, 0.5, null].map((value, index) => ({ id: index + 1, value }));

function pages(order: "asc" | "desc"): number[][] {
	const all: number[][] = [];
	let cursor: string | undefined;
	do {
		const page = sortedPage(items, ({ value }) => value, { cursor, limit: 2, sort: "size", order });
		all.push(page.items.map(({ id }) => id));
		cursor = page.next_cursor ?? undefined;
	} while (cursor !== undefined);
	return all;
}

test("sorts by the value and then by row number, and puts what has none last", () => {
	expect(pages("desc")).toEqual([
		[4, 1],
		[3, 5],
		[6, 2],
	]);
	expect(pages("asc")).toEqual([
		[5, 3],
		[1, 4],
		[2, 6],
	]);
});

test("refuses a cursor of another list, sort or order", () => {
	const query = { limit: 2, sort: "size", order: "asc" } as const;
	const page = (changes: object) => sortedPage(items, ({ value }) => value, { ...query, ...changes });
	const { next_cursor } = page({});
	const others = [{ sort: "age" }, { order: "desc" }].map((changes) => ({ ...changes, cursor: next_cursor }));
	const ofTimes = { cursor: Buffer.from("1:DATETIME:2026-01-01T00:00:00Z").toString("base64") };
	for (const changes of [...others, ofTimes]) expect(() => page(changes)).toThrow("Invalid cursor");
});

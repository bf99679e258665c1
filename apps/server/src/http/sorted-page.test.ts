import { expect, test } from "vitest";
import { sortedPage } from "./sorted-page.ts";

const items = [3, null, 1, 3, 0.5, null].map((value, index) => ({ id: index + 1, value }));

function pages(order: "asc" | "desc"): number[][] {
	const all: number[][] = [];
	let cursor: string | undefined;
	do {
		const page = sortedPage(items, ({ value }) => value, { cursor, limit: 2, order });
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

test("refuses a cursor of another list", () => {
	const cursor = Buffer.from("1:DATETIME:2026-01-01T00:00:00Z").toString("base64");
	expect(() => sortedPage(items, ({ value }) => value, { cursor, limit: 2, order: "asc" })).toThrow("Invalid cursor");
});

import { expect, test } from "vitest";
import { pageByText, sortedPage } from "./sorted-page.ts";

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

test("sorts by texts in any case, page by page, also those longer than a cursor has room for", () => {
	const texts = [
		"b",
		"A",
		"a",
		"item 10",
		"item 9",
		"é\u{1f600}",
		"x".repeat(300),
		`${"x".repeat(200)}y`,
		"\ud83d".repeat(120),
	];
	const rows = texts.map((text, index) => ({ id: index + 1, text }));
	for (const order of ["asc", "desc"] as const) {
		const all: number[] = [];
		let cursor: string | undefined;
		do {
			const page = pageByText(rows, ({ text }) => text, { cursor, limit: 2, sort: "name", order });
			all.push(...page.items.map(({ id }) => id));
			cursor = page.next_cursor ?? undefined;
			expect((cursor ?? "").length).toBeLessThan(1_024);
		} while (cursor !== undefined);
		const sorted = order === "asc" ? all : all.toReversed();
		expect(sorted).toHaveLength(texts.length);
		expect(sorted.filter((id) => id !== 9)).toEqual([2, 3, 1, 6, 5, 4, 7, 8]);
	}
});

test("refuses a cursor of another list by texts", () => {
	const query = { limit: 1, sort: "name", order: "asc" } as const;
	const rows = [1, 2].map((id) => ({ id, text: String(id) }));
	const page = (changes: object) => pageByText(rows, ({ text }) => text, { ...query, ...changes });
	const { next_cursor } = page({});
	expect(() => page({ cursor: next_cursor, order: "desc" })).toThrow("Invalid cursor");
	expect(() => sortedPage(rows, ({ id }) => id, { ...query, cursor: next_cursor ?? "" })).toThrow("Invalid cursor");
});

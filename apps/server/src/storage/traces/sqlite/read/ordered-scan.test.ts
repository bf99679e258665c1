import { type Condition, parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";

/** The numbers of the spans that a filter selects, from pages of a list by row number. */
async function numbersBy(
	{ traces }: SqliteUnderTest,
	project: number,
	order: "asc" | "desc",
	condition: Condition | undefined,
): Promise<number[]> {
	const numbers: number[] = [];
	for (let from: { value: number; id: number } | undefined; ; ) {
		const page = await traces.listSpans({
			projectId: project,
			sort: "id",
			order,
			limit: 40,
			...(condition === undefined ? {} : { condition }),
			...(from === undefined ? {} : { from }),
		});
		numbers.push(...page.items.map(({ spanId }) => Number.parseInt(spanId, 16)));
		if (!page.more) return numbers;
		from = page.next;
	}
}

test.each([
	["alone", () => "default"],
	["among few others", (number: number) => (number % 3 === 0 ? "other" : "default")],
	["among many others", (number: number) => (number % 20 === 0 ? "default" : "other")],
	["before others", (number: number) => (number < 2_500 ? "default" : "other")],
	["after others", (number: number) => (number < 5_000 ? "other" : "default")],
])("a filter finds all spans of a project that lie %s, in both orders", async (_, projectOf) => {
	await using store = await openTestStore();
	const count = 7_000;
	const spans = Array.from({ length: count }, (_unused, index) =>
		testSpan({
			project: projectOf(index + 1),
			trace: 1 + Math.floor(index / 10),
			span: index + 1,
			status: index % 13 === 0 ? 2 : 1,
			input: index % 700 === 5 ? "a rare word" : "common",
		}),
	);
	for (let first = 0; first < count; first += 500) await store.writer.write(spans.slice(first, first + 500), []);
	const project = await projectId(store);
	const own = Array.from({ length: count }, (_unused, index) => index).filter(
		(index) => projectOf(index + 1) === "default",
	);
	const cases: readonly (readonly [string, (index: number) => boolean])[] = [
		["status_code == 'ERROR'", (index) => index % 13 === 0],
		["'rare' in input.value", (index) => index % 700 === 5],
		["'rare' in input.value and status_code == 'ERROR'", (index) => index % 700 === 5 && index % 13 === 0],
		["attributes['nothing'] == 'here'", () => false],
	];
	for (const [filter, matches] of cases) {
		const { condition } = parseFilter("span", filter);
		const expected = own.filter(matches).map((index) => index + 1);
		for (const order of ["asc", "desc"] as const) {
			const found = await numbersBy(store, project, order, condition);
			expect(
				found.toSorted((a, b) => a - b),
				`${filter} ${order}`,
			).toEqual(expected);
		}
	}
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FilterTarget, parseFilter, ROW_SCHEMAS } from "./index.ts";

const LINK = /\[([^\]]*)\]\([^)]*\)/g;
const page = readFileSync(join(import.meta.dirname, "../../../docs/filters.md"), "utf8").replaceAll(LINK, "$1");

/** The lines of all code blocks of a kind. */
function examples(kind: string): string[] {
	const blocks = page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm);
	return Array.from(blocks).flatMap(([, info, lines = ""]) => (info === kind ? lines.trimEnd().split("\n") : []));
}

it.each<[FilterTarget, number]>([
	["span", 4],
	["trace", 9],
	["session", 4],
])("reads every example of a filter of %ss", (target, count) => {
	const filters = examples(`filter ${target}`);
	expect(filters).toHaveLength(count);
	for (const filter of filters) {
		const { condition, hints } = parseFilter(target, filter);
		expect(condition, filter).toBeDefined();
		expect(hints, filter).toEqual([]);
	}
});

it("reads the examples of words as words", () => {
	expect(examples("text")).toHaveLength(3);
	for (const words of examples("text")) expect(parseFilter("span", words).text, words).toBeDefined();
});

it("names every field and collection, and says what it is", () => {
	for (const { fields, aliases, collections } of Object.values(ROW_SCHEMAS)) {
		for (const [name, { description }] of Object.entries(fields)) {
			const row = page
				.split("\n")
				.find((line) => line.startsWith(`| \`${name}\``) && line.includes(`| ${description}`));
			expect(row, name).toBeDefined();
		}
		for (const name of [...Object.keys(aliases), ...Object.keys(collections)]) expect(page).toContain(`\`${name}\``);
	}
});

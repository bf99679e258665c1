import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FilterTarget, parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import { EXAMPLES, WORDS } from "./examples.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/filters.md"), "utf8");
const TARGETS: readonly FilterTarget[] = ["span", "trace", "session"];

test.each(TARGETS)("the examples of filters of %ss are the documented ones and can be parsed", (target) => {
	for (const example of EXAMPLES[target]) {
		expect(page).toContain(`\n${example}\n`);
		expect(parseFilter(target, example).condition, example).toBeDefined();
	}
});

test("the examples of words are the documented ones and are words", () => {
	for (const words of WORDS) {
		expect(page).toContain(`\n${words}\n`);
		for (const target of TARGETS) expect(parseFilter(target, words).text, words).toBeDefined();
	}
});

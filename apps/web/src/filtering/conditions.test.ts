import { parseFilter } from "@spanward/filter-language";
import { expect, test } from "vitest";
import { quoted, withCondition, withoutCondition } from "./conditions.ts";

const NOT_ANN = "(user_id != 'ann' or user_id is None)";

test("a condition is added once, with brackets around an existing `or`", () => {
	expect(withCondition(undefined, "a == 1")).toBe("a == 1");
	expect(withCondition("a == 1", "b == 2")).toBe("a == 1 and b == 2");
	expect(withCondition("a == 1 and b == 2", "b == 2")).toBe("a == 1 and b == 2");
	expect(withCondition("a == 1 or c == 3", "b == 2")).toBe("(a == 1 or c == 3) and b == 2");
	expect(withCondition(NOT_ANN, "name != 'x or y'")).toBe(`${NOT_ANN} and name != 'x or y'`);
});

test("a condition is removed from a conjunction, and only from one", () => {
	expect(withoutCondition("a == 1", "a == 1")).toBeUndefined();
	expect(withoutCondition(`a == 1 and ${NOT_ANN} and b == 2`, NOT_ANN)).toBe("a == 1 and b == 2");
	expect(withoutCondition(`${NOT_ANN} and b == 2`, NOT_ANN)).toBe("b == 2");
	expect(withoutCondition("a == 1 or b == 2 and c == 3", "c == 3")).toBe("a == 1 or b == 2 and c == 3");
	expect(withoutCondition("c == 33", "c == 3")).toBe("c == 33");
});

test.each(["plain", "it's", 'say "hi"', "back\\slash", "two\nlines", "\u0001"])(
	"%j is quoted so that it is read back",
	(value) => {
		const { condition } = parseFilter("span", `name == ${quoted(value)}`);
		expect(JSON.stringify(condition)).toContain(JSON.stringify(value));
	},
);

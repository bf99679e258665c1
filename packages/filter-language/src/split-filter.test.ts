import { expect, test } from "vitest";
import { FilterError } from "./filter-error.ts";
import { splitFilter } from "./split-filter.ts";

test.each([
	["a == 1", ["a == 1"]],
	["a == 1 and b == ' and ' and not c", ["a == 1", "b == ' and '", "not c"]],
	["(a == 1 and (b in [1, 2])) and c", ["a == 1", "(b in [1, 2])", "c"]],
	["a or b and c", ["(a or b and c)"]],
	["(a or b) and c", ["(a or b)", "c"]],
	["(a or b)", ["(a or b)"]],
	["(a) or (b)", ["((a) or (b))"]],
	["any(x.a == 1 and x.b for x in spans) and c", ["any(x.a == 1 and x.b for x in spans)", "c"]],
])("%s", (filter, texts) => {
	expect(splitFilter(filter)).toEqual(texts);
});

test("what is no expression has no parts", () => {
	expect(() => splitFilter("a and")).toThrow(FilterError);
});

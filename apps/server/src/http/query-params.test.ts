import { expect, test } from "vitest";
import { latencyParam, limitParam } from "./query-params.ts";
import { parsePart } from "./validation.ts";

const limit = limitParam(100);

function read(schema: typeof limit | typeof latencyParam, value: unknown): unknown {
	const result = parsePart(schema, "query", value);
	return "value" in result ? result.value : result.error;
}

function issueOf(schema: typeof limit | typeof latencyParam, value: unknown): unknown {
	return parsePart(schema, "query", value).error?.issues[0];
}

test("a limit is a whole number in digits, and has a default", () => {
	expect(read(limit, undefined)).toBe(100);
	expect(read(limit, "7")).toBe(7);
	expect(issueOf(limit, "0")).toMatchObject({ type: "greater_than" });
	expect(issueOf(limit, "1001")).toMatchObject({ type: "less_than_equal" });
});

test.each(["abc", "", "1.5", "0x10", "1e2", "9".repeat(20)])(
	"a limit of %j is refused, and quoted as it was sent",
	(value) => {
		expect(issueOf(limit, value)).toEqual({
			type: "int_parsing",
			loc: ["query"],
			msg: "Input should be a valid integer, unable to parse string as an integer",
			input: value,
		});
	},
);

test("a latency is a decimal number of 0 or more", () => {
	expect(read(latencyParam, "1.5")).toBe(1.5);
	expect(read(latencyParam, "1e3")).toBe(1_000);
	expect(issueOf(latencyParam, "-1")).toMatchObject({ type: "greater_than_equal" });
	for (const value of ["", "x", "0x10", "NaN", "Infinity"]) {
		expect(issueOf(latencyParam, value)).toMatchObject({ type: "float_parsing", input: value });
	}
});

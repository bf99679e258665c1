import { expect, test } from "vitest";
import { parseRequirement, RequirementError } from "./parse-requirement.ts";

test.each([
	["mean('correctness') >= 0.8", { value: "mean", metric: "correctness" }, ">=", 0.8],
	['  lower( "is it good?" )>-1e-2 ', { value: "lower", metric: "is it good?" }, ">", -0.01],
	[String.raw`min('it\'s \\ "x"') == .5`, { value: "min", metric: String.raw`it's \ "x"` }, "==", 0.5],
	["share('tone', 'rude') <= 0", { value: "share", metric: "tone", label: "rude" }, "<=", 0],
	["count('x')<5", { value: "count", metric: "x" }, "<", 5],
	["errors == 0", { value: "errors" }, "==", 0],
	["latency_p95_ms < 1500.5", { value: "latency_p95_ms" }, "<", 1500.5],
	["delta_lower('größe') > +0", { value: "delta_lower", metric: "größe" }, ">", 0],
])("reads %s", (text, quantity, operator, bound) => {
	expect(parseRequirement(text)).toEqual({ text: text.trim(), quantity, operator, bound });
});

test.each([
	["", 0, 0, "a value is expected", ["mean('…') >= 0.8"]],
	["mena('x') > 1", 0, 4, "there is no value mena", ["mean"]],
	["average('x') > 1", 0, 7, "there is no value average", ["mean"]],
	["mean >= 0.8", 0, 4, "mean is of a metric", ["mean('…')"]],
	["mean(x) >= 0.8", 5, 1, "in quotes", ["'x'"]],
	["mean('x' >= 0.8", 9, 2, '")" is missing', [")"]],
	["mean('x >= 0.8", 5, 9, "no closing '", []],
	["share('x') > 0.1", 0, 5, "one of its labels", ["share('…', '…')"]],
	["share('x', 'a', 'b') > 0.1", 16, 3, "one label", []],
	["mean('x', 'y') > 0.1", 10, 3, "mean takes one metric", ["mean('…')"]],
	["errors('x') == 0", 0, 6, "of the whole experiment", ["errors"]],
	["mean('x') => 0.8", 10, 2, "is expected", [">="]],
	["mean('x') = 1", 10, 1, "is expected", ["=="]],
	["mean('x') != 1", 10, 2, "is expected", []],
	["mean('x') >= 80%", 13, 3, "not in percent", ["0.8"]],
	["mean('x') >= 0.8x", 13, 4, "cannot be read", []],
	["mean('x') >= 1e999", 13, 5, "cannot be read", []],
	["mean('x') >= y", 13, 1, "a number is expected", []],
	["mean('x') >=", 12, 0, "a number is expected", []],
	["0.8 <= mean('x')", 0, 3, "the value comes first", []],
	["mean('x') > 1 and errors == 0", 14, 3, "`require` of its own", []],
	["mean('a\0') > 1", 7, 1, "NUL", []],
])("refuses %j with the place and what was perhaps meant", (text, position, length, message, suggestions) => {
	let refused: unknown;
	try {
		parseRequirement(text);
	} catch (error) {
		refused = error;
	}
	expect(refused).toBeInstanceOf(RequirementError);
	expect(refused).toMatchObject({ position, length, message: expect.stringContaining(message), suggestions });
});

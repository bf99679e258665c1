import { describe, expect, test } from "vitest";
import { compileExpression, ExpressionError, unknownFunctions } from "./expression.ts";

function problemOf(text: string): string {
	try {
		compileExpression(text);
	} catch (error) {
		if (error instanceof ExpressionError) return error.message;
		throw error;
	}
	return "";
}

test.each<[string, Readonly<Record<string, unknown>>, unknown]>([
	["email", { email: "ann@example.com" }, "ann@example.com"],
	["email", {}, undefined],
	["email", { email: null }, undefined],
	['"https://example.com/groups"', { "https://example.com/groups": ["a"] }, ["a"]],
	['resource_access."my-client".roles', { resource_access: { "my-client": { roles: ["admin"] } } }, ["admin"]],
	['"cognito:groups"[0]', { "cognito:groups": ["x", "y"] }, "x"],
	["'MEMBER'", {}, "MEMBER"],
	['`"MEMBER"`', {}, "MEMBER"],
	["contains(groups, 'admins') && 'ADMIN' || 'VIEWER'", { groups: ["admins"] }, "ADMIN"],
	["contains(groups, 'admins') && 'ADMIN' || 'VIEWER'", { groups: [] }, "VIEWER"],
	["contains(groups || `[]`, 'admins') && 'ADMIN' || 'VIEWER'", {}, "VIEWER"],
	["groups[?starts_with(@, 'traces-')] | [0]", { groups: ["x", "traces-admin"] }, "traces-admin"],
	["let $g = groups in length($g) > `1` ? 'MEMBER' : 'VIEWER'", { groups: ["a", "b"] }, "MEMBER"],
	["trim(name)", { name: " \tAnn\u0085\n " }, "Ann"],
	["[trim_left(@.a, '/'), trim_right(@.a, '/')]", { a: "/x/" }, ["x/", "/x"]],
	["{b: a}.b", { a: 1 }, 1],
])("%s of %j", (text, claims, result) => {
	expect(compileExpression(text).search(claims)).toEqual(result);
});

describe("V26: is refused, saying why and where:", () => {
	test.each([
		["https://example.com/groups", /: at character 6 .*double quotes.*"cognito:groups"/],
		["cognito:groups", /: at character 8 .*double quotes/],
		["groups admins", /admins at character 8/],
		["groups[", /not complete/],
		["contains(groups, 'a'", /not complete/],
		["a ||", /not complete/],
		["", /not complete/],
		["a.b.", /not complete/],
		["a # b", /syntax error at character 3/],
		['"abc', /syntax error at character 1/],
		["role == 'ADMIN", /the ' at character 9 is not closed/],
		["`ADMIN`", /single quotes, such as 'ADMIN'/],
		["contains(groups, `admins`) && `ADMIN`", /single quotes/],
		["resource_access.my-client.roles", /my-client.*double quotes/],
		["groups/admins", /groups\/admins.*double quotes/],
		["role = 'x' && 'ADMIN'", /single =.*==/],
		["let $x in $x", /let/],
		[`${"a.".repeat(2_100)}a`, /at most 4096 characters/],
		["(".repeat(4_000), /nest|complete/],
		[`${"!".repeat(3_000)}a`, /must not nest deeper than 256 levels/],
		[`${"[".repeat(1_500)}a${"]".repeat(1_500)}`, /must not nest deeper than 256 levels/],
	])("%.60s", (text, message) => {
		expect(problemOf(text)).toMatch(message);
		expect(problemOf(text).length).toBeLessThan(300);
	});
});

test("accepts a subtraction of numbers that is written as one, and what only looks like a subtraction", () => {
	expect(compileExpression("a - b").search({ a: 3, b: 1 })).toBe(2);
	expect(compileExpression('x == \'my-client\' && "my-key" || `"a-b"`').search({ x: "my-client" })).toBe("a-b");
});

test("T149: properties that only JavaScript objects have are not found, in claims or in what an expression makes", () => {
	const claims = JSON.parse('{"a": {"b": 1}, "list": [1], "text": "x", "__proto__": {"role": "ADMIN"}}');
	const names = Object.getOwnPropertyNames(Object.prototype);
	for (const name of names) {
		for (const path of [
			"",
			"a.",
			"text.",
			"list.",
			"list[0].",
			"merge(@, a).",
			"{x: a}.",
			"{__proto__: @}.",
			"$.",
			"`{}`.",
		]) {
			for (const rest of ["", ".name", ".role"]) {
				expect(compileExpression(`${path}${name}${rest}`).search(claims), `${path}${name}${rest}`).toBeUndefined();
				expect(compileExpression(`${path}"${name}"${rest}`).search(claims)).toBeUndefined();
			}
		}
		expect(compileExpression(`${name}(@)`).search(claims)).toBeUndefined();
	}
	expect(compileExpression("role").search(claims)).toBeUndefined();
	expect(compileExpression("merge(@, a).role").search(claims)).toBeUndefined();
	expect(compileExpression("{__proto__: @}.a").search(claims)).toBeUndefined();
	expect(compileExpression("keys(@)").search(claims)).toEqual(["a", "list", "text"]);
	expect(({} as Record<string, unknown>)["role"]).toBeUndefined();
});

test("T149: an expression that fails on claims yields nothing and is reported without the claims", () => {
	const problems: string[] = [];
	const search = (text: string, claims: Readonly<Record<string, unknown>>) =>
		compileExpression(text).search(claims, (problem) => problems.push(problem));
	expect(search("contains(groups, 'a') && 'ADMIN'", {})).toBeUndefined();
	expect(search("starts_with(name, 'a')", { name: 5 })).toBeUndefined();
	expect(search("shout(name)", { name: "hunter22" })).toBeUndefined();
	expect(search("name + `1`", { name: "hunter22" })).toBeUndefined();
	expect(search("group_by(list, &k)", { list: [{ k: "constructor" }] })).toBeUndefined();
	expect(search("$nobody", { nobody: "hunter22" })).toBeUndefined();
	expect(problems).toHaveLength(6);
	expect(problems[0]).toMatch(/^contains\(\) was given a value of the wrong type/);
	expect(problems[2]).toBe("it calls shout(), which is not a JMESPath function");
	expect(problems.join("\n")).not.toContain("hunter22");
	expect(search("missing.path[0]", {})).toBeUndefined();
	expect(problems).toHaveLength(6);
});

test("T149: claims may nest 5,000 deep, and are cut at 32 levels", () => {
	const deep = JSON.parse(`${'{"a":'.repeat(5_000)}"ADMIN"${"}".repeat(5_000)}`);
	expect(
		compileExpression("role").search({ role: "MEMBER", deep, list: JSON.parse("[".repeat(5_000) + "]".repeat(5_000)) }),
	).toBe("MEMBER");
	expect(compileExpression("to_string(deep)").search({ deep })).toMatch(/^(\{"a":){31,32}null\}+$/);
	expect(compileExpression(`deep${".a".repeat(200)}`).search({ deep })).toBeUndefined();
});

test("T149: claims that are too large yield nothing", () => {
	const problems: string[] = [];
	const { search } = compileExpression("email");
	const note = (problem: string) => problems.push(problem);
	expect(search({ email: "a@b.example", groups: Array.from({ length: 9_000 }, (_, index) => `g${index}`) }, note)).toBe(
		"a@b.example",
	);
	expect(search({ email: "a@b.example", groups: Array.from({ length: 20_000 }, () => 1) }, note)).toBeUndefined();
	expect(search({ email: "a@b.example", name: "x".repeat(1_100_000) }, note)).toBeUndefined();
	expect(problems).toHaveLength(2);
	expect(problems[0]).toMatch(/too large/);
});

test("trims a text with a million blanks, which would take hours if the time grew with the square of its length", () => {
	const name = `x${" ".repeat(1_000_000)}x`;
	expect(compileExpression("length(trim(name))").search({ name })).toBe(name.length);
});

describe("claims of many values, looked at again for each of them", () => {
	const groups = Array.from({ length: 9_000 }, (_, index) => `group-${index}`);

	test.each([
		"groups[?$.groups[?@ == 'x']] | [0]",
		"groups[*].[$.groups[*]][][] | [0]",
		"groups[*].[$.groups][][] | [0]",
		"groups[*].[$.groups[::1]] | [0]",
		"map(&to_string($), groups) | [0]",
		"groups[*].join('-', $.groups) | [0]",
		"let $all = groups in $all[?$all[?@ == 'x']] | [0]",
	])("%s is given up after so many steps", (text) => {
		const problems: string[] = [];
		expect(compileExpression(text).search({ groups }, (problem) => problems.push(problem))).toBeUndefined();
		expect(problems).toEqual(["it takes too many steps on claims of this size"]);
	});

	test.each([
		["groups[?@ == 'group-8999'] | [0]", "group-8999"],
		["contains(groups, 'group-8999') && 'ADMIN' || 'VIEWER'", "ADMIN"],
		["groups[?contains(['a', 'group-7'], @) || starts_with(@, 'x') || ends_with(@, 'y')] | [0]", "group-7"],
		["map(&split(@, '-')[1], groups)[0]", "0"],
		["[groups, groups][] | length(@)", 18_000],
	])("%s is no such expression", (text, value) => {
		expect(compileExpression(text).search({ groups })).toBe(value);
	});

	test("what one evaluation has spent is not counted for the next", () => {
		const { search } = compileExpression("groups[?$.groups[?@ == 'x']] | [0]");
		expect(search({ groups })).toBeUndefined();
		expect(search({ groups: ["x"] })).toBe("x");
	});
});

test("names functions that do not exist, not those in quotes", () => {
	expect(unknownFunctions(compileExpression("shout(a) || yell (b) || contains(c, 'd(e)') || \"f(\""))).toEqual([
		"shout",
		"yell",
	]);
});

test("does not take the in of a let for a function", () => {
	expect(unknownFunctions(compileExpression("let $r = roles in ($r[0])"))).toEqual([]);
});

test("random expressions compile or are refused, and never fail otherwise", () => {
	const parts = [
		"a",
		"b.c",
		".",
		"[",
		"]",
		"(",
		")",
		"{",
		"}",
		"*",
		"'",
		'"',
		"`",
		"|",
		"&&",
		"||",
		"!",
		"==",
		"=",
		"-",
		"1",
		"$",
		"let",
		"in",
		"@",
		"?",
		":",
		",",
		" ",
		"[?",
		"[]",
		"&",
		"'x'",
		"`1`",
		"length(",
		"\\",
		"é",
		"<",
	];
	let seed = 7;
	const next = (bound: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return seed % bound;
	};
	for (let round = 0; round < 5_000; round += 1) {
		const text = Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)]).join("");
		const problem = problemOf(text);
		if (problem === "") expect(() => compileExpression(text).search({ a: [1], b: { c: "x" } })).not.toThrow();
		else expect(problem, text).toMatch(/^(is not a JMESPath expression|calculates|has a )/);
	}
});

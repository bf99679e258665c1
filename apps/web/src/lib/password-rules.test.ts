import { expect, test } from "vitest";
import { keepsPasswordRules, passwordRules } from "./password-rules.ts";

function broken(password: string, strong: boolean): string[] {
	return passwordRules(password, strong)
		.filter((rule) => !rule.isMet)
		.map((rule) => rule.text);
}

test("the default policy requires four characters", () => {
	expect(broken("abc", false)).toEqual(["at least 4 characters"]);
	expect(keepsPasswordRules("abcd", false)).toBe(true);
});

test("a character outside the basic plane counts once", () => {
	expect(keepsPasswordRules("🔑🔑", false)).toBe(false);
	expect(keepsPasswordRules("🔑🔑🔑🔑", false)).toBe(true);
});

test.each([
	["Abcdefgh1!", "at least 12 characters"],
	["abcdefghijk1!", "an upper-case letter"],
	["ABCDEFGHIJK1!", "a lower-case letter"],
	["Abcdefghijkl!", "a digit"],
	["Abcdefghijk1?", "one of !@#$%^&*()_+"],
])("the strong policy refuses %s for the one rule it breaks", (password, rule) => {
	expect(broken(password, true)).toEqual([rule]);
});

test("a password that meets all rules of the strong policy passes", () => {
	expect(keepsPasswordRules("Correct-horse-1!", true)).toBe(true);
});

test("the rules against control characters and overlong passwords appear only when broken", () => {
	expect(broken("ab\u0000cd", false)).toEqual(["no control characters"]);
	expect(broken("x".repeat(1025), false)).toEqual(["at most 1,024 bytes"]);
});

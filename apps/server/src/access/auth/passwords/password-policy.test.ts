import { expect, test } from "vitest";
import { unmetRules } from "./password-policy.ts";

const USER = { username: "Ana Müller", email: "ana@example.com" };
const LAX = { SERVICE_ENABLE_STRONG_PASSWORD_POLICY: false };
const STRONG = { SERVICE_ENABLE_STRONG_PASSWORD_POLICY: true };

test.each(["abcd", "pass", "äöüß", "🙂🙂🙂🙂", "ana@example.com", "a b c d", "ü".repeat(512)])(
	"the default policy takes %s",
	(password) => {
		expect(unmetRules(password, LAX, USER)).toEqual([]);
	},
);

test.each([
	["abc", "have at least 4 characters"],
	["🙂🙂🙂", "have at least 4 characters"],
	["a".repeat(1_025), "have at most 1024 bytes"],
	["ü".repeat(513), "have at most 1024 bytes"],
	["ﷺ".repeat(340), "have at most 1024 bytes"],
	["ab\u0000cd", "have no control characters"],
	["ab\ncd", "have no control characters"],
	["abcd\ud800", "have no control characters"],
])("the default policy refuses %j: %s", (password, rule) => {
	expect(unmetRules(password, LAX, USER)).toEqual([rule]);
});

test.each([
	["Abcdefgh12!", "have at least 12 characters"],
	["abcdefghi12!", "have an upper-case letter"],
	["ABCDEFGHI12!", "have a lower-case letter"],
	["Abcdefghijk!", "have a digit"],
	["Abcdefghij12", "have one of !@#$%^&*()_+"],
	["Abcdefghij1-", "have one of !@#$%^&*()_+"],
])("T020 the strong policy refuses %s: %s", (password, rule) => {
	expect(unmetRules(password, STRONG, USER)).toEqual([rule]);
});

test("T020 the strong policy names every rule that is broken", () => {
	expect(unmetRules("a\u0001", STRONG, USER)).toEqual([
		"have at least 12 characters",
		"have no control characters",
		"have an upper-case letter",
		"have a digit",
		"have one of !@#$%^&*()_+",
	]);
	expect(unmetRules("Abcdefghij1+", STRONG, USER)).toEqual([]);
});

test.each(["Password123!", "P@ssw0rd1234!", "!QAZ2wsx#EDC", "Welcome_2026!", "Qwerty!123456"])(
	"the strong policy refuses %s, which many have",
	(password) => {
		expect(unmetRules(password, STRONG, USER)).toEqual(["not be one of the most common passwords"]);
		expect(unmetRules(password, LAX, USER)).toEqual([]);
	},
);

test("the strong policy refuses the name and the address", () => {
	const user = { username: "Ana-Müller-1!", email: "Anas_Mail_2@example.com" };
	for (const password of [
		"Ana-Müller-1!",
		"ANA-MÜLLER-1!a".slice(0, -1).replace("R-", "r-"),
		"Anas_Mail_2@example.com",
	]) {
		expect(unmetRules(password, STRONG, user)).toEqual(["differ from your username and email"]);
	}
});

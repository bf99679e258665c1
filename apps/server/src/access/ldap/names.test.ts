import { expect, test } from "vitest";
import { comparedAttributes, foldName } from "./names.ts";

test.each(["BOB", "ｂｏｂ", " bob\u3000", "b\u00adob", "bo\u200bb", "bob\ufe0f", "\u2060bob"])(
	"%j is the name bob",
	(name) => {
		expect(foldName(name)).toBe("bob");
	},
);

test("white space of every kind is one space", () => {
	expect(foldName("Jane\u00a0\t Doe")).toBe("jane doe");
	expect(foldName("\u200b \u00ad")).toBe("");
});

test("capitals fold as sharp s and the dotless i do", () => {
	expect(foldName("STRASSE")).toBe(foldName("straße"));
	expect(foldName("ΟΔΥΣΣΕΥΣ")).toBe(foldName("οδυσσευς"));
});

test("the attributes of a filter are those that are compared with the name alone", () => {
	expect(comparedAttributes("(&(objectClass=user)(|(sAMAccountName=%s)(mail=%s)(cn=*%s*)(uid=%s)))")).toEqual([
		"sAMAccountName",
		"mail",
		"uid",
	]);
});

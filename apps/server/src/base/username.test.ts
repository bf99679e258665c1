import { expect, test } from "vitest";
import { cleanUsername, trimUsername, usernameKey, usernameProblem } from "./username.ts";

test.each([
	["Ana", "ana"],
	["Ana", "ＡＮＡ"],
	["Straße", "STRASSE"],
	["admin", "аdmin"],
	["admin", "admın"],
	["paypal", "раураӏ".replace("ӏ", "l")],
	["Ana  Müller", "ana mu\u0308ller"],
	["ana b", "ana\u00a0b"],
	["ﬁn", "fin"],
])("nobody tells %s and %s apart", (one, other) => {
	expect(usernameKey(other)).toBe(usernameKey(one));
});

test("different names stay different", () => {
	expect(new Set(["ana", "anna", "Аня", "Άννα", "安娜", "ana-1", "ana 1"].map(usernameKey)).size).toBe(7);
});

test.each([
	"\u202e",
	"\u200b",
	"\u200d",
	"\u2066",
	"\ufeff",
	"\u00ad",
	"\u0000",
	"\n",
	"\u001b[31m",
	"\u2800",
	"\u115f",
	"\ud800",
	"\ufe0f",
])("a name with %j in it is refused", (character) => {
	expect(usernameProblem(`ad${character}min`)).toContain("invisible");
});

test("a name has 1 to 128 characters after trimming", () => {
	expect(usernameProblem(trimUsername(" \t "))).toContain("empty");
	expect(usernameProblem("🙂".repeat(128))).toBeUndefined();
	expect(usernameProblem("a".repeat(129))).toContain("128");
});

test("a name from elsewhere is made to fit", () => {
	expect(cleanUsername("  Ana\u202e\n\tMüller\u200b  ")).toBe("Ana Müller");
	expect([...cleanUsername("🙂".repeat(10_000))]).toHaveLength(128);
	expect(cleanUsername("\u200b")).toBe("");
});

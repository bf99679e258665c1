import { expect, test } from "vitest";
import { canonicalEmail, claimedEmail, isEmail } from "./email.ts";

test("spellings of one address have one form", () => {
	for (const text of ["  Ana.Müller@Example.COM\n", "ana.mu\u0308ller@example.com"]) {
		expect(canonicalEmail(text)).toBe("ana.müller@example.com");
	}
});

test.each([
	"a@b.de",
	"first.last+tag@sub.example.com",
	"o'neil@example.org",
	"用户@例子.广告",
	"admin@localhost",
	"system@localhost",
])("%s is an address", (email) => {
	expect(isEmail(email)).toBe(true);
});

test.each([
	["", "empty"],
	["a@b", "no dot"],
	["root@localhost", "no dot, and no account of the service"],
	["a b@c.de", "white space"],
	["a@b.de\r\nbcc: c@d.de", "line break"],
	["a\u0000@b.de", "control character"],
	["a\u200b@b.de", "zero-width space"],
	["a@b.de,c@d.de", "two addresses"],
	['"a@x"@y.de', "quoted"],
	["<a@b.de>", "angle brackets"],
	["a@b@c.de", "two at signs"],
	[".a@b.de", "leading dot"],
	["a..b@c.de", "two dots"],
	["a@-b.de", "hyphen first"],
	["a@b..de", "empty label"],
	["a@[127.0.0.1]", "address literal"],
	[`${"a".repeat(65)}@b.de`, "long local part"],
	[`a@${"b".repeat(64)}.de`, "long label"],
	[`a@${"b.".repeat(126)}de`, "more than 254"],
])("%j is no address: %s", (email) => {
	expect(isEmail(email)).toBe(false);
});

test("T145 an address that another system reports is refused if only folding makes it somebody else's", () => {
	expect(claimedEmail(" Kim@Example.com ")).toBe("kim@example.com");
	expect(claimedEmail("\u212aim@example.com")).toBeUndefined();
	expect(claimedEmail("ADMİN@example.com")).toBe("admi\u0307n@example.com");
	expect(claimedEmail("jose\u0301@example.com")).toBe("josé@example.com");
	expect(claimedEmail("kim")).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { rangeOf, shownValue, textsOf, uniqueIdOf, valuesOf } from "./attributes.ts";

const entry = (attributes: Readonly<Record<string, readonly string[]>>) => ({
	dn: "cn=x",
	attributes: Object.entries(attributes).map(([type, values]) => ({
		type,
		values: values.map((value) => Buffer.from(value)),
	})),
});

describe("an attribute", () => {
	test("is found by its name in any case, and is not one of its subtypes", () => {
		const person = entry({ "MAIL;lang-de": ["de@example.com"], MAIL: ["a@example.com", "b@example.com"] });
		expect(textsOf(person, "mail")).toEqual(["a@example.com", "b@example.com"]);
		expect(valuesOf(person, "displayName")).toEqual([]);
	});

	test("may come in parts", () => {
		const first = rangeOf(entry({ memberOf: [], "memberOf;Range=0-1": ["a", "b"] }), "memberof");
		expect(first).toEqual({ values: [Buffer.from("a"), Buffer.from("b")], next: 2 });
		expect(rangeOf(entry({ "memberOf;range=2-*": ["c"] }), "memberOf")?.next).toBeUndefined();
		expect(rangeOf(entry({ memberOf: ["a"] }), "memberOf")).toBeUndefined();
	});
});

describe("a unique id", () => {
	test.each([
		["objectGUID", "baddda577c02884b810872c66d77a168", "57daddba-027c-4b88-8108-72c66d77a168"],
		["msExchMailboxGuid", Buffer.from("ABCDEFGHIJKLMNOP").toString("hex"), "44434241-4645-4847-494a-4b4c4d4e4f50"],
		["employeeNumber", Buffer.from("ABCDEFGHIJKLMNOP").toString("hex"), "abcdefghijklmnop"],
		["anything", "baddda577c02884b810872c66d77a168", "57daddba-027c-4b88-8108-72c66d77a168"],
		["entryUUID", Buffer.from(" 1C735524-7A09 ").toString("hex"), "1c735524-7a09"],
		["binary", "ff00", "ff00"],
		["text", Buffer.from("a\tb").toString("hex"), "610962"],
		["text", Buffer.from("   ").toString("hex"), undefined],
		["text", "", undefined],
	])("of %s, %s, is %s", (name, bytes, expected) => {
		expect(uniqueIdOf(name, Buffer.from(bytes, "hex"))).toBe(expected);
	});
});

test("a value is shown as its text, and as an identifier where it is not text", () => {
	expect(shownValue("cn", Buffer.from("Jané Doe"))).toBe("Jané Doe");
	expect(shownValue("postalAddress", Buffer.from("a\nb"))).toBe("a\nb");
	const guid = "57daddba-027c-4b88-8108-72c66d77a168";
	expect(shownValue("objectGUID", Buffer.from("baddda577c02884b810872c66d77a168", "hex"))).toBe(guid);
	expect(shownValue("jpegPhoto", Buffer.from("ffd8ff", "hex"))).toBe("ffd8ff");
	expect(shownValue("cn", Buffer.from("a\u001b[31m"))).toBe("611b5b33316d");
});

import * as ldapts from "ldapts";
import { expect, test } from "vitest";
import { escapeFilterValue, fillFilter, filterProblem, toSearchFilter } from "./filter.ts";

test("escapes what is special in a filter, and every byte that is not printable ASCII", () => {
	expect(escapeFilterValue("we(i)rd*\\name")).toBe("we\\28i\\29rd\\2a\\5cname");
	expect(escapeFilterValue("a\0b\n")).toBe("a\\00b\\0a");
	expect(escapeFilterValue("ünï😀")).toBe("\\c3\\bcn\\c3\\af\\f0\\9f\\98\\80");
	expect(escapeFilterValue("\ud800")).toBe("\\ef\\bf\\bd");
});

test("puts a value in for every %s, whatever it looks like", () => {
	expect(fillFilter("(|(uid=%s)(mail=%s))", "$&$'%s")).toBe("(|(uid=$&$'%s)(mail=$&$'%s))");
	expect(fillFilter("(uid=%s)", "*)(uid=*")).toBe("(uid=\\2a\\29\\28uid=\\2a)");
});

test.each([
	"(uid=%s)",
	"(&(objectClass=user)(sAMAccountName=%s))",
	"(&(objectClass=person)(|(uid=%s)(mail=%s))(!(loginShell=/bin/false)))",
	"(member:1.2.840.113556.1.4.1941:=%s)",
	"(cn:dn:caseExactMatch:=%s)",
	"(:caseIgnoreMatch:=%s)",
	"(cn=*%s*)",
	"(&(mail=*)(uid=%s))",
	"(cn=a*b*%s)",
	"(cn;lang-de=%s)",
	"(2.5.4.3=%s)",
	"(cn~=%s)",
	"(&(age>=18)(age<=99)(cn=%s))",
	"(description=\\28x\\29 %s ü)",
	"(\n\t& (a=b)\n\t(uid=%s)\n)",
	"(uid=%s@example.com)",
])("V40: %s is a filter", (template) => {
	expect(filterProblem(template)).toBeUndefined();
	expect(() => toSearchFilter(ldapts, fillFilter(template, "we(i)rd*"))).not.toThrow();
});

test.each([
	["(uid=ann)", /must have %s/],
	["(uid=%S)", /must have %s/],
	["uid=%s", /character 1 \( is expected/],
	["(uid=%s", /the end/],
	["(uid=%s))", /ends before character/],
	["(&(uid=%s)", /the end/],
	["(&)(uid=%s)", /character 3/],
	["(&(uid=%s)x)", /character/],
	["(%s=ann)", /no attribute/],
	["(cn %s)", /no attribute/],
	["(=%s)", /no attribute/],
	["(:=%s)", /no attribute/],
	["(u id=%s)", /no attribute/],
	["(uid=(%s))", /\) is expected/],
	["(uid=\\zz%s)", /\) is expected/],
	["(uid=a**%s)", /two \*/],
	["(uid>=*%s)", /\) is expected/],
	["(cn=*\\ff%s)", /not UTF-8/],
	["(!(uid=%s)(a=b))", /\) is expected/],
	[`${"(!".repeat(40)}(uid=%s)${")".repeat(40)}`, /deeper than 32/],
])("V40: %s is none", (template, problem) => {
	expect(filterProblem(template)).toMatch(problem);
});

test("is sent with the bytes that were meant", () => {
	const sent = (template: string, value: string) => {
		const writer = new ldapts.BerWriter();
		toSearchFilter(ldapts, fillFilter(template, value)).write(writer);
		return writer.buffer.toString("latin1");
	};
	const utf8 = (text: string) => Buffer.from(text).toString("latin1");
	expect(sent("(uid=%s)", "jürgen")).toContain(utf8("jürgen"));
	expect(sent("(cn=*%s*)", "jürgen(*")).toContain(utf8("jürgen(*"));
	expect(sent("(member:1.2.840.113556.1.4.1941:=%s)", "cn=jü,dc=x")).toContain(utf8("cn=jü,dc=x"));
	expect(sent("(cn~=%s)", "ü")).toContain(utf8("ü"));
	expect(sent("(objectGUID=\\ba\\dd%s)", "")).toContain("\xba\xdd");
});

test("random values arrive as they were, and change nothing of the filter's shape", () => {
	let seed = 3;
	const next = (bound: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return (seed >> 8) % bound;
	};
	const characters = [..."ab*()\\&|!=<>~:%s$\0\n é日😀"];
	for (let round = 0; round < 3_000; round += 1) {
		const value = Array.from({ length: 1 + next(10) }, () => characters[next(characters.length)]).join("");
		const filter = toSearchFilter(ldapts, fillFilter("(&(objectClass=user)(uid=%s))", value));
		if (!(filter instanceof ldapts.AndFilter)) throw new Error("expected an and");
		const [, uid, ...more] = filter.filters;
		expect(more).toEqual([]);
		if (!(uid instanceof ldapts.EqualityFilter)) throw new Error("expected an equality");
		expect(uid.attribute).toBe("uid");
		expect(uid.value.toString()).toBe(value);
	}
});

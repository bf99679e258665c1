import { describe, expect, test } from "vitest";
import { canonicalDn } from "./dn.ts";

function sameDn(a: string, b: string): boolean {
	const canonical = canonicalDn(a);
	return canonical !== undefined && canonical === canonicalDn(b);
}

test.each([
	[
		"cn=Data\\, Science \\+ ML,ou=Groups,dc=example,dc=org",
		"CN=Data\\2C Science \\2B ML, OU=groups ,DC=Example,DC=ORG",
	],
	["cn=a", ' cn = "a" '],
	['cn="Data, Science + ML",ou=x', "cn=Data\\, Science \\+ ML,ou=x"],
	["cn=a,dc=x", "2.5.4.3=A,0.9.2342.19200300.100.1.25=x"],
	["cn=a,dc=x", "OID.2.5.4.3=a,domainComponent=x"],
	["cn=a+uid=b,dc=x", "UID=B + CN=A,dc=x"],
	["cn=Hello", "cn=#0c0548656C6C6F"],
	["cn=Hello", "cn=#040548656c6c6f"],
	["cn=hé", "cn=#1e04006800e9"],
	["cn=Lučić", "cn=Lu\\C4\\8Di\\C4\\87"],
	["cn=é", "cn=e\u0301"],
	["cn=straße", "cn=STRASSE"],
	["cn=ｂｏｂ", "cn=bob"],
	["cn=a  b", "cn=A b"],
	["cn=\\ a\\ ", "cn=a"],
	["cn=a\\=b", "cn=a=b"],
	["cn=a\\#b", "cn=a#b"],
	["cn=\\#a", 'cn="#a"'],
	["cn=\\41", "cn=a"],
	['cn="a\\"b\\\\"', "cn=a\\22b\\5C"],
	["", "  "],
])("%s is %s", (a, b) => {
	expect(sameDn(a, b), `${canonicalDn(a)} | ${canonicalDn(b)}`).toBe(true);
});

test.each([
	["cn=a,dc=x", "dc=x,cn=a"],
	["cn=a,dc=x", "cn=a+dc=x"],
	["cn=a,dc=x", "cn=a\\,dc\\=x"],
	["cn=a", "uid=a"],
	["cn=a", "cn=a,dc=x"],
	["cn=a b", "cn=ab"],
	["cn=#0c0161", "cn=\\#0c0161"],
	["cn=\\ff", "cn=\\fe"],
	["cn=a\\00", "cn=a"],
])("%s is not %s", (a, b) => {
	expect(canonicalDn(a)).toBeDefined();
	expect(canonicalDn(b)).toBeDefined();
	expect(sameDn(a, b)).toBe(false);
});

test.each([
	"a",
	"cn",
	"cn=",
	"=a",
	"cn=a,",
	",cn=a",
	"cn=a,,dc=x",
	"cn=a+",
	"cn=a;dc=x",
	"cn=a\\",
	"cn=a\\x",
	'cn="a',
	'cn="a"b',
	'cn=a"b',
	"cn=<a>",
	"cn=a\0",
	"cn=#",
	"cn=#0",
	"cn=#0g",
	"cn=#0c05",
	"cn=#0c0161ff",
	"cn=#0c8161",
	"cn=#0c8061",
	"c n=a",
	"1=a",
	"ann@example.com",
	"EXAMPLE\\ann",
])("%j is no DN", (text) => {
	expect(canonicalDn(text)).toBeUndefined();
	expect(sameDn("", text)).toBe(false);
});

describe("random DNs", () => {
	let seed = 42;
	const next = (bound: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return (seed >> 8) % bound;
	};
	const characters = [...'abzAZ09  ,;+"\\<>=#é日😀ﬁß\0\u00a0'];
	const encodings: readonly ((value: string) => string)[] = [
		(value) => Array.from(Buffer.from(value), (byte) => `\\${byte.toString(16).padStart(2, "0")}`).join(""),
		(value) => `"${value.replace(/["\\]/g, "\\$&").replaceAll("\0", "\\00")}"`,
		(value) => {
			const bytes = Buffer.from(value);
			return `#0c81${bytes.length.toString(16).padStart(2, "0")}${bytes.toString("hex").toUpperCase()}`;
		},
		(value) => value.replace(/[",;+<>\\=#]|^ | $/g, "\\$&").replaceAll("\0", "\\00"),
	];

	test("have one canonical form however their values are written, which is its own canonical form", () => {
		for (let round = 0; round < 3_000; round += 1) {
			const values = Array.from({ length: 1 + next(4) }, () =>
				Array.from({ length: 1 + next(8) }, () => characters[next(characters.length)]).join(""),
			);
			const write = () =>
				values
					.map((value, at) => `${["cn", "OU", "2.5.4.10", "dc"][at]}=${encodings[next(4)]?.(value)}`)
					.join(next(2) === 0 ? "," : " , ");
			const [first, second] = [write(), write()];
			const canonical = canonicalDn(first);
			expect(canonical, first).toBeDefined();
			expect(canonicalDn(second), `${first} | ${second}`).toBe(canonical);
			expect(canonicalDn(canonical ?? ""), canonical).toBe(canonical);
		}
	});

	test("with other values have other forms", () => {
		for (let round = 0; round < 3_000; round += 1) {
			const [a, b] = [0, 0].map(() => Array.from({ length: 1 + next(4) }, () => 'ab,+\\=#"'[next(8)]).join(""));
			if (a === b) continue;
			expect(sameDn(`cn=${encodings[next(4)]?.(a ?? "")},dc=x`, `cn=${encodings[next(4)]?.(b ?? "")},dc=x`)).toBe(
				false,
			);
		}
	});

	test("of garbage are refused without an exception", () => {
		for (let round = 0; round < 5_000; round += 1) {
			const text = Array.from(
				{ length: next(12) },
				() => [...characters, "cn=", "#0c", "\\4"][next(characters.length + 3)],
			).join("");
			expect(() => canonicalDn(text)).not.toThrow();
		}
	});
});

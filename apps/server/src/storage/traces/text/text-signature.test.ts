import { expect, test } from "vitest";
import { randomFrom } from "../conformance/random-spans.ts";
import { randomPart, randomText } from "../conformance/random-texts.ts";
import { searchableText, wordsOf } from "../content/searchable-text.ts";
import { testLog, testSpan } from "../test-spans.ts";
import { hashesOfWord, mayContain, signatureOf } from "./text-signature.ts";

const EMPTY = new Uint8Array(0);

test("a signature never misses a part of a text that it was made of", () => {
	const random = randomFrom(7);
	let looked = 0;
	for (let round = 0; round < 300; round++) {
		const count = 1 + Math.floor(random() * 20);
		const spans = Array.from({ length: count }, (_, number) =>
			testSpan({
				span: number + 1,
				name: randomText(random),
				attributes: { a: randomText(random), list: [randomText(random), 7, true] },
			}),
		);
		const { bytes: log } = testLog({ trace: 1, span: 1, content: randomText(random) });
		const signature = signatureOf({ spans, logs: [log] });
		for (const [number, span] of spans.entries()) {
			const content = { span: span.bytes, scope: EMPTY, scopeSchemaUrl: "", resource: EMPTY, resourceSchemaUrl: "" };
			const logs = number === 0 ? [log] : [];
			const text = searchableText({ ...content, logs }, () => logs).toLowerCase();
			for (let part = 0; part < 10; part++) {
				// Words as of a query; in lower case some are no longer parts of the text.
				for (const word of wordsOf(randomPart(random, text))) {
					if (!text.includes(word)) continue;
					looked++;
					expect(mayContain(signature, hashesOfWord(word)), JSON.stringify({ word, text })).toBe(true);
				}
			}
		}
	}
	expect(looked).toBeGreaterThan(10_000);
});

test.each(["İ", "Ⱥ", "ȺȾ", "\u212a", "é", "ÀB"])("a signature has all of a text as short as %s", (text) => {
	const signature = signatureOf({ spans: [testSpan({ name: text })] });
	expect(mayContain(signature, hashesOfWord(text.toLowerCase()))).toBe(true);
});

test("a signature rules out most words that are nowhere", () => {
	const random = randomFrom(11);
	const word = () => Array.from({ length: 8 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
	const spans = Array.from({ length: 64 }, (_, number) =>
		testSpan({ span: number + 1, input: Array.from({ length: 100 }, word).join(" ") }),
	);
	const signature = signatureOf({ spans });
	const wrong = Array.from({ length: 2_000 }, word).filter((nowhere) => mayContain(signature, hashesOfWord(nowhere)));
	expect(wrong.length).toBeLessThan(400);
	// The text has 57,600 bytes, all but random.
	expect(signature.length).toBe(8_192);
});

test.each([
	["no text at all", [], 64],
	["one short text", [testSpan({ name: "GET /", kind: "CHAIN" })], 64],
])("the signature of %s is small", (_, spans, bytes) => {
	expect(signatureOf({ spans }).length).toBe(bytes);
});

test("words of one or two letters have no hashes, unless their letters take three bytes", () => {
	expect(hashesOfWord("ab")).toEqual([]);
	expect(hashesOfWord("é")).toEqual([]);
	expect(hashesOfWord("\ud83d")).toEqual([]);
	expect(hashesOfWord("abc")).toHaveLength(1);
	expect(hashesOfWord("漢")).toHaveLength(1);
	expect(hashesOfWord("x".repeat(5_000))).toHaveLength(2);
});

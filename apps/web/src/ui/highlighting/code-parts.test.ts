import { expect, test } from "vitest";
import { codeParts } from "./code-parts.ts";

const coloured = (text: string) => codeParts(text).flatMap((part) => (part.kind ? [`${part.kind} ${part.text}`] : []));

test("code is coloured by what it is, and nothing of it is lost", () => {
	const source = "const size = /[\"a/b]+/g; // \"no\" text\nreturn `one` + 'it\\'s' /* 3 */;";
	expect(coloured(source)).toEqual([
		...["keyword const", 'string /["a/b]+/g', 'comment // "no" text', "keyword return"],
		...["string `one`", "string 'it\\'s'", "comment /* 3 */"],
	]);
	expect(
		codeParts(source)
			.map(({ text }) => text)
			.join(""),
	).toBe(source);
});

test("what is not ended yet is coloured to the end of its line, or of the text", () => {
	expect(coloured('"open\n1')).toEqual(['string "open', "number 1"]);
	expect(coloured("/* open\n1")).toEqual(["comment /* open\n1"]);
	expect(coloured('{"a": [1.5e3, true]}')).toEqual(['string "a"', "number 1.5e3", "keyword true"]);
});

test("a long text without anything to colour is looked through once", () => {
	expect(codeParts(`a ${"/ ".repeat(100_000)}`)).toHaveLength(1);
});

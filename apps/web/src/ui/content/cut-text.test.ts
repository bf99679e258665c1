import { expect, test } from "vitest";
import { cutText, formatTextSize, textBlocks } from "./cut-text.ts";

test("leaves a short text, and one a little over a screenful, whole", () => {
	expect(cutText("short")).toEqual({ shown: "short", cut: false });
	expect(cutText("x".repeat(4500)).cut).toBe(false);
});

test("cuts by characters and by lines", () => {
	expect(cutText("x".repeat(9000)).shown).toHaveLength(4000);
	const lines = cutText(Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n"), { characters: 4000, lines: 10 });
	expect(lines.cut).toBe(true);
	expect(lines.shown.split("\n")).toHaveLength(10);
});

test("does not cut a character in two", () => {
	const shown = cutText("😀".repeat(20), { characters: 9, lines: 10 }).shown;
	expect(shown).toBe("😀".repeat(4));
});

test("splits a long text into blocks of whole lines that add up", () => {
	const text = "0123456789\n".repeat(1000);
	const blocks = textBlocks(text, 100);
	expect(blocks.join("")).toBe(text);
	expect(blocks.every((block) => block.endsWith("\n"))).toBe(true);
	expect(textBlocks("x".repeat(1000), 100).join("")).toHaveLength(1000);
});

test.each([
	["abc", "3 B"],
	["é".repeat(24_000), "48 KB"],
	["x".repeat(1_600_000), "1.6 MB"],
])("names the size of a text", (text, size) => {
	expect(formatTextSize(text)).toBe(size);
});

import { describe, expect, test } from "vitest";
import { readFile, UnreadableFile } from "./read-file.ts";

const file = (name: string, text: string) => new File([text], name);
const read = async (name: string, text: string) => (await readFile(file(name, text))).preview;
/** The error message for a file. */
const problem = (name: string, text: string) =>
	readFile(file(name, text)).then(
		() => "",
		(error: unknown) => (error instanceof UnreadableFile ? error.message : String(error)),
	);

describe("CSV", () => {
	test("quotes, commas and line breaks in cells, empty cells, a byte order mark", async () => {
		const preview = await read("a.csv", '\ufeffq,a\n"one, ""two""","x\ny"\nthree,\n');
		expect(preview).toEqual({
			columns: ["q", "a"],
			rows: [
				['one, "two"', "x\ny"],
				["three", undefined],
			],
			hasMore: false,
		});
	});

	test("only the beginning of a large file is read, without the last, incomplete row", async () => {
		const cell = "x".repeat(100_000);
		const preview = await read("a.csv", `q\n${`${cell}\n`.repeat(30)}`);
		expect(preview.hasMore).toBe(true);
		expect(preview.rows.length).toBeGreaterThan(5);
		expect(preview.rows.every(([value]) => value === cell)).toBe(true);
	});

	test("the index of a data frame, which has no name, is left out", async () => {
		expect(await read("a.csv", ",q,a\n0,one,two\n1,three,\n")).toEqual({
			columns: ["q", "a"],
			rows: [
				["one", "two"],
				["three", undefined],
			],
			hasMore: false,
		});
		expect(await problem("a.csv", ",\n0,1\n")).not.toBe("");
	});

	test("names a duplicate column, and refuses several columns without a name", async () => {
		expect(await problem("a.csv", "q,q\n1,2\n")).toContain("The column q appears twice");
		expect(await problem("a.csv", "q,,\n1,2,3\n")).toContain("Several columns have no name");
	});
});

describe("JSON lines", () => {
	test("columns are the keys of all rows, and numbers keep their digits", async () => {
		const preview = await read("a.jsonl", '{"q":12345678901234567890}\n\n{"a":[1]}\n');
		expect(preview).toEqual({
			columns: ["q", "a"],
			rows: [
				[12345678901234567890n, undefined],
				[undefined, [1]],
			],
			hasMore: false,
		});
	});

	test("names the line of a mistake", async () => {
		expect(await problem("a.jsonl", '{"q":1}\n{"q":\n')).toContain("Line 2 is not a JSON object");
		expect(await problem("a.jsonl", "[1]\n")).toContain("Line 1 is not a JSON object");
	});
});

describe("JSON", () => {
	test("a list is sent as lines, with all digits", async () => {
		const { content, preview } = await readFile(file("a.json", '[{"q":12345678901234567890},{"q":"b"}]'));
		expect(await content.text()).toBe('{"q":12345678901234567890}\n{"q":"b"}\n');
		expect(preview.rows).toHaveLength(2);
	});

	test("the list may be the only list in an object", async () => {
		expect((await read("a.json", '{"name":"x","examples":[{"q":1}]}')).columns).toEqual(["q"]);
		expect(await problem("a.json", '{"a":[{"q":1}],"b":[]}')).toContain("a list of objects");
		expect(await problem("a.json", "[1]")).toContain("a list of objects");
	});
});

test("refuses files that are not tables, and empty ones", async () => {
	expect(await problem("a.xlsx", "PK")).toContain("Choose a .csv");
	expect(await problem("a.csv", "")).toBe("The file has no rows.");
	expect(await problem("a.csv", "q,a\n")).toBe("The file has no rows.");
	expect(await problem("a.json", "[]")).toBe("The file has no rows.");
});

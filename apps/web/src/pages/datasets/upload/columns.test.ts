import { describe, expect, test } from "vitest";
import { changeColumn, columnFields, guessColumns, type Preview } from "./columns.ts";

function roles(columns: string[], rows: Preview["rows"] = []): Record<string, string> {
	return Object.fromEntries(guessColumns({ columns, rows, hasMore: false }).map(({ name, role }) => [name, role]));
}

describe("guessing the roles of columns", () => {
	test("goes by the usual names, and takes the rest as metadata", () => {
		expect(roles(["id", "question", "Expected_Output", "split", "difficulty"])).toEqual({
			id: "id",
			question: "input",
			Expected_Output: "output",
			split: "split",
			difficulty: "metadata",
		});
	});

	test("recognizes the columns of a downloaded dataset", () => {
		expect(roles(["id", "node_id", "input.question", "output.answer", "metadata.source", "splits"])).toEqual({
			id: "id",
			node_id: "ignored",
			"input.question": "input",
			"output.answer": "output",
			"metadata.source": "metadata",
			splits: "split",
		});
	});

	test("gives a role that only one column may have to the first", () => {
		expect(roles(["input", "split", "splits"])).toEqual({ input: "input", split: "split", splits: "metadata" });
	});

	test("takes the first unknown column as input when no name means input", () => {
		expect(roles(["id", "colour", "size"])).toEqual({ id: "id", colour: "input", size: "metadata" });
	});

	test("spreads only objects under the names of the buckets", () => {
		const columns = guessColumns({ columns: ["input", "extra"], rows: [[{ a: 1 }, { b: 2 }]], hasMore: false });
		expect(columns.map(({ holdsObjects, spread }) => [holdsObjects, spread])).toEqual([
			[true, true],
			[true, false],
		]);
	});
});

test("a second id column takes the role from the first", () => {
	const before = guessColumns({ columns: ["id", "key", "input"], rows: [], hasMore: false });
	const after = changeColumn(before, "key", { role: "id" });
	expect(after.map(({ role }) => role)).toEqual(["metadata", "id", "input"]);
});

test("the upload names each column under its role, and spread ones also under `flatten`", () => {
	const columns = guessColumns({
		columns: ["input", "output", "id", "split", "span_id", "node_id"],
		rows: [[{ a: 1 }, "b", "1", "train", "00", "x"]],
		hasMore: false,
	});
	expect(columnFields(columns)).toEqual([
		["input_keys[]", "input"],
		["flatten_keys[]", "input"],
		["output_keys[]", "output"],
		["example_id_key", "id"],
		["split_key", "split"],
		["span_id_key", "span_id"],
	]);
});

import { expect, test } from "vitest";
import { createKeyTable } from "./key-table.ts";

test("names are found by their bytes, wherever they stand", () => {
	const names = [
		"a",
		"",
		"llm.model_name",
		"ключ",
		"__proto__",
		...Array.from({ length: 500 }, (_, i) => `key.${i}.x`),
	];
	const table = createKeyTable(names);
	for (const name of names) {
		const bytes = Buffer.from(`..${name}..`);
		expect(table.find(bytes, 2, bytes.length - 2)).toBe(name);
	}
});

test("what differs by a byte is not found", () => {
	const table = createKeyTable(["llm.model_name", "a".repeat(100)]);
	for (const other of ["llm.model_namf", "mlm.model_name", "llm.model_nam", `b${"a".repeat(99)}`, "a".repeat(99)]) {
		const bytes = Buffer.from(other);
		expect(table.find(bytes, 0, bytes.length)).toBeUndefined();
	}
});

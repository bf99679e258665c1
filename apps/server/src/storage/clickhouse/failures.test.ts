import { expect, test } from "vitest";
import { exceptionBehind, toFailure } from "./failures.ts";

const VERSION = "(version 25.8.1.1 (official build))";

test.each([
	["SELECT(id, name) ON traces.spans", "SELECT on traces.spans"],
	["SELECT for at least one column on traces.spans", "SELECT on traces.spans"],
	["INSERT(id) ON `traces`.`spans`", "INSERT on `traces`.`spans`"],
	["ALTER DELETE ON *.*", "ALTER DELETE on *.*"],
])("names the right that the user lacks: %s", (grant, named) => {
	const text = `Code: 497. DB::Exception: writer: Not enough privileges. To execute this query, it's necessary to have the grant ${grant}. (ACCESS_DENIED) ${VERSION}`;
	const { kind, message } = toFailure(497, text, "the-id");
	expect(kind).toBe("refused");
	expect(message).toBe(`ClickHouse answered 497 ACCESS_DENIED to query the-id, which needs the grant ${named}`);
});

test("quotes nothing else of a message, which has statements and data", () => {
	const quoted = "it's necessary to have the grant SELECT ON secrets";
	const text = `Code: 53. DB::Exception: Cannot convert 'a secret: ${quoted}' to UInt64. (TYPE_MISMATCH) ${VERSION}`;
	const { kind, message } = toFailure(53, text, "the-id");
	expect(kind).toBe("statement");
	expect(message).toBe("ClickHouse answered 53 TYPE_MISMATCH to query the-id");
});

test("finds the exception behind rows by the tag of the answer alone", () => {
	const text = `Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) ${VERSION}\n`;
	const answer = Buffer.from(`rows\r\n__exception__\r\nabc\r\n${text}${text.length} abc\r\n__exception__\r\n`);
	const failure = exceptionBehind(answer, "abc", "the-id");
	expect(failure).toMatchObject({ kind: "memory", code: 241 });
	expect(failure?.message).toBe("ClickHouse answered 241 MEMORY_LIMIT_EXCEEDED to query the-id");
	// What a span says is none.
	for (const tag of ["xyz", undefined]) expect(exceptionBehind(answer, tag, "the-id")).toBeUndefined();
});

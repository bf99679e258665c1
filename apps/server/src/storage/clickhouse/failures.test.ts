import { expect, test } from "vitest";
import { toFailure } from "./failures.ts";

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

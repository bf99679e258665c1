import { expect, test } from "vitest";
import { present } from "./present.ts";

test("a missing value is an error; 0 and an empty text are not missing", () => {
	expect([present(0, "a number"), present("", "a text")]).toEqual([0, ""]);
	expect(() => present(undefined, "the row number of a span")).toThrow("the row number of a span is missing");
	expect(() => present(null, "the row number of a span")).toThrow("the row number of a span is missing");
});

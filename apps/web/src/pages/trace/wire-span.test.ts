import { expect, test } from "vitest";
import { renderedParts } from "./rendered-parts.ts";
import { toMicros } from "./wire-span.ts";

test.each([
	["2023-11-14T22:13:20+00:00", 1_700_000_000_000_000],
	["2023-11-14T22:13:20.200000+00:00", 1_700_000_000_200_000],
	["2023-11-14T22:13:20.000001+00:00", 1_700_000_000_000_001],
	["2023-11-14T22:13:20.2+00:00", 1_700_000_000_200_000],
	["1970-01-01T00:00:00+00:00", 0],
	["1969-12-31T23:59:59.500000+00:00", -500_000],
])("reads %s to the microsecond", (time, micros) => {
	expect(toMicros(time)).toBe(micros);
});

test("draws a huge trace each time it has doubled, and all of it in the end", () => {
	const drawn = Array.from({ length: 20 }, (_, i) => renderedParts(i + 1, false));
	expect(drawn).toEqual([1, 2, 3, 3, 3, 6, 6, 6, 6, 6, 6, 12, 12, 12, 12, 12, 12, 12, 12, 12]);
	expect(renderedParts(20, true)).toBe(20);
});

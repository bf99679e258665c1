import { expect, test } from "vitest";
import { countThatFits } from "./page-size.ts";

test.each([
	[[], 0],
	[[5], 1],
	[[50], 1],
	[[50, 1], 1],
	[[4, 6], 2],
	[[4, 6, 1], 2],
	[[4, 7, 1], 1],
])("of items of %j bytes, %d from the front stay below 10, one at least", (sizes, count) => {
	const items = sizes.map((bytes) => ({ bytes }));
	expect(countThatFits(items, 10)).toBe(count);
});

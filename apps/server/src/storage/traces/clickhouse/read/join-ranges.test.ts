import { expect, test } from "vitest";
import { joinRanges } from "./join-ranges.ts";

test("ranges are joined where they meet, and the nearest ones where there are too many", () => {
	const ranges = [
		[40, 50],
		[1, 5],
		[6, 9],
		[12, 14],
		[3, 4],
		[45, 47],
		[70, 80],
	] as const;
	expect(joinRanges(ranges, 4)).toEqual([
		[1, 9],
		[12, 14],
		[40, 50],
		[70, 80],
	]);
	expect(joinRanges(ranges, 3)).toEqual([
		[1, 14],
		[40, 50],
		[70, 80],
	]);
	expect(joinRanges(ranges, 1)).toEqual([[1, 80]]);
	expect(joinRanges(ranges, 4, 20)).toEqual([
		[1, 14],
		[40, 80],
	]);
	expect(joinRanges([], 3)).toEqual([]);
});

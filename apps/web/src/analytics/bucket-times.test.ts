import { expect, test } from "vitest";
import { bucketAt } from "./bucket-times.ts";

test("a bar has all the time from its start to that of the next one", () => {
	const times = { drawn: [100, 200, 300] };
	expect([100, 199, 200, 900, 0].map((time) => bucketAt(times, time))).toEqual([0, 0, 1, 2, 0]);
});

import { expect, test } from "vitest";
import { cronProblem, nextTime } from "./cron.ts";

const at = (time: string) => Date.parse(time) * 1_000;

test.each([
	["0 3 * * *", "2026-03-28T12:00:00Z", "2026-03-29T03:00:00Z"],
	["*/15 * * * *", "2026-03-28T12:00:00Z", "2026-03-28T12:15:00Z"],
	["0 0 * * 0", "2026-03-28T12:00:00Z", "2026-03-29T00:00:00Z"],
	["30 4 1 * MON", "2026-03-28T12:00:00Z", "2026-03-30T04:30:00Z"],
])("%s after %s is due at %s, in UTC", (cron, after, next) => {
	expect(nextTime(cron, at(after))).toBe(at(next));
});

test.each(["", "* * * *", "* * * * * *", "@daily", "61 * * * *", "0 0 31 2 *", "0 0 * * 0; ls", "x x x x x"])(
	"%j is no time to run",
	(cron) => {
		expect(cronProblem(cron)).toEqual(expect.any(String));
	},
);

test("an expression of five fields is one", () => {
	for (const cron of ["0 3 * * *", " 5,35  0-6/2 1 1-12 SUN ", "0 0 29 2 *"]) expect(cronProblem(cron)).toBeUndefined();
});

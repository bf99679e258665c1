import { expect, test } from "vitest";
import { cronWords } from "./cron-words.ts";

test.each([
	["0 3 * * *", "every day at 03:00"],
	["30 14 * * 1,5", "every Monday, Friday at 14:30"],
	["0 0 * * 7", "every Sunday at 00:00"],
	["0 6 1 * *", "on day 1 of every month at 06:00"],
	["15 * * * *", "every hour at minute 15"],
	["*/5 * * * *", "every 5 minutes"],
	["0 */6 * * *", "every 6 hours at minute 0"],
	["* * * * *", "every minute"],
	["0 3 1-7 * 1", "at the times of 0 3 1-7 * 1"],
	["nonsense", "at the times of nonsense"],
])("%s runs %s", (text, words) => {
	expect(cronWords(text)).toBe(words);
});

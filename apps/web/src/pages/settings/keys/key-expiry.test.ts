import { expect, test } from "vitest";
import { endsSoon, expiryTime, today } from "./key-expiry.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");

test("days are counted from now", () => {
	expect(expiryTime("30", "", NOW)).toBe("2026-12-21T12:00:00.000Z");
	expect(expiryTime("365", "", NOW)).toBe("2027-11-21T12:00:00.000Z");
});

test("never is no time at all", () => {
	expect(expiryTime("never", "2026-12-24", NOW)).toBeUndefined();
});

test("a date lasts until its end in the browser's time zone", () => {
	expect(expiryTime("date", "2026-12-24", NOW)).toBe(new Date(2026, 11, 24, 23, 59, 59).toISOString());
});

test("today is the first valid date; yesterday and an empty date are invalid", () => {
	const noon = new Date(2026, 10, 21, 12).getTime();
	expect(expiryTime("date", today(new Date(noon)), noon)).not.toBe("invalid");
	expect(expiryTime("date", "2026-11-20", noon)).toBe("invalid");
	expect(expiryTime("date", "", noon)).toBe("invalid");
});

test("a key expires soon from 14 days before", () => {
	expect(endsSoon("2026-12-05T12:00:00Z", NOW)).toBe(true);
	expect(endsSoon("2026-12-05T12:00:01Z", NOW)).toBe(false);
});

import { expect, test } from "vitest";
import { formatTime, parseTime } from "./wire-times.ts";

test("times are written in UTC with an offset, and microseconds only when they are not zero", () => {
	expect(formatTime(1_700_000_000_000_000)).toBe("2023-11-14T22:13:20+00:00");
	expect(formatTime(1_700_000_000_200_000)).toBe("2023-11-14T22:13:20.200000+00:00");
	expect(formatTime(1)).toBe("1970-01-01T00:00:00.000001+00:00");
	expect(formatTime(-1)).toBe("1969-12-31T23:59:59.999999+00:00");
});

test.each([
	["2023-11-14T22:13:20Z", 1_700_000_000_000_000],
	["2023-11-14T23:13:20+01:00", 1_700_000_000_000_000],
	["2023-11-14T22:13:20 00:00", 1_700_000_000_000_000],
	["2023-11-14 22:13:20", 1_700_000_000_000_000],
	["2023-11-14T22:13:20.000001-00:00", 1_700_000_000_000_001],
	["2023-11-14", 1_699_920_000_000_000],
	["2023-11-14T22:13", 1_699_999_980_000_000],
	["0050-01-02T03:04:05Z", -60_589_198_555_000_000],
	["0099-12-31", -59_011_545_600_000_000],
	["0004-02-29", -62_035_891_200_000_000],
	["1700000000", 1_700_000_000_000_000],
	["1700000000.5", 1_700_000_000_500_000],
	["1700000000000", 1_700_000_000_000_000],
])("reads %s", (text, micros) => {
	expect(parseTime(text)?.micros).toBe(micros);
});

test("keeps the nanoseconds below the microseconds", () => {
	expect(parseTime("2023-11-14T22:13:20.123456789Z")).toEqual({
		micros: 1_700_000_000_123_456,
		nanos: 789,
		zoned: true,
	});
});

test("says that a time without an offset is not zoned", () => {
	expect(parseTime("2023-11-14T22:13:20")?.zoned).toBe(false);
});

test.each([
	"",
	"yesterday",
	"2023-02-30",
	"2023-13-01",
	"0050-02-29",
	"2023-11-14T25:00:00",
	"2023-11-14T22:13:20+99:00",
	"1e9",
	"99999999999999999999",
])("refuses %j", (text) => {
	expect(parseTime(text)).toBeUndefined();
});

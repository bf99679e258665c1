import { describe, expect, test } from "vitest";
import { autoBucket, comparedEdges, edgesOf, readRange } from "./calendar.ts";

const micros = (time: string) => Date.parse(time) * 1_000;
const shown = (edges: readonly number[]) => edges.map((edge) => new Date(edge / 1_000).toISOString());
const between = (start: string, end: string) => ({ startMicros: micros(start), endMicros: micros(end) });

describe("W03 W04 days of a zone", () => {
	test.each([
		["Europe/Berlin", "2026-10-23T22:00:00Z", "2026-10-26T23:00:00Z", [24, 25, 24]],
		["America/New_York", "2026-03-07T05:00:00Z", "2026-03-10T04:00:00Z", [24, 23, 24]],
		["Asia/Kolkata", "2026-03-07T18:30:00Z", "2026-03-09T18:30:00Z", [24, 24]],
		["UTC", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", [24, 24]],
	])("%s", (zone, start, end, hours) => {
		const edges = edgesOf(between(start, end), "day", zone);
		expect(edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / 3.6e9)).toEqual(hours);
	});

	test("begin at 18:30 UTC in Kolkata, cut to the range", () => {
		expect(shown(edgesOf(between("2026-05-01T10:17:00Z", "2026-05-02T20:00:00Z"), "day", "Asia/Kolkata"))).toEqual([
			"2026-05-01T10:17:00.000Z",
			"2026-05-01T18:30:00.000Z",
			"2026-05-02T18:30:00.000Z",
			"2026-05-02T20:00:00.000Z",
		]);
	});
});

test("hours and quarters of days go by the clock", () => {
	expect(shown(edgesOf(between("2026-05-01T10:17:00Z", "2026-05-01T12:00:00Z"), "hour", "Asia/Kolkata"))).toEqual([
		"2026-05-01T10:17:00.000Z",
		"2026-05-01T10:30:00.000Z",
		"2026-05-01T11:30:00.000Z",
		"2026-05-01T12:00:00.000Z",
	]);
	// Clocks go back at 3:00 in Berlin, so that the first quarter has seven hours.
	const quarters = edgesOf(between("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"), "6_hours", "Europe/Berlin");
	expect(quarters.slice(1).map((edge, index) => (edge - (quarters[index] ?? 0)) / 3.6e9)).toEqual([7, 6, 6, 6]);
	const nothing = edgesOf(between("2026-05-01T10:17:00Z", "2026-05-01T12:00:00Z"), "none", "UTC");
	expect(nothing).toHaveLength(2);
});

test("weeks begin on Monday, months on the first", () => {
	expect(shown(edgesOf(between("2026-07-01T00:00:00Z", "2026-07-14T00:00:00Z"), "week", "UTC"))).toEqual([
		"2026-07-01T00:00:00.000Z",
		"2026-07-06T00:00:00.000Z",
		"2026-07-13T00:00:00.000Z",
		"2026-07-14T00:00:00.000Z",
	]);
	expect(edgesOf(between("2026-01-15T00:00:00Z", "2026-04-15T00:00:00Z"), "month", "UTC")).toHaveLength(5);
});

test("W10 a week before faces the same local hour across a change of clocks", () => {
	const edges = edgesOf(between("2026-10-26T08:00:00Z", "2026-10-26T10:00:00Z"), "hour", "Europe/Berlin");
	// Monday 09:00 in Berlin, in winter time, and a week before in summer time.
	expect(shown(comparedEdges(edges, "previous_week", "Europe/Berlin"))).toEqual([
		"2026-10-19T07:00:00.000Z",
		"2026-10-19T08:00:00.000Z",
		"2026-10-19T09:00:00.000Z",
	]);
	expect(shown(comparedEdges(edges, "previous_day", "Europe/Berlin"))[0]).toBe("2026-10-25T08:00:00.000Z");
	expect(shown(comparedEdges(edges, "previous_period", "Europe/Berlin"))[0]).toBe("2026-10-26T06:00:00.000Z");
});

test("a period before is as many days or months", () => {
	const days = edgesOf(between("2026-10-25T22:00:00Z", "2026-10-27T23:00:00Z"), "none", "Europe/Berlin");
	expect(shown(comparedEdges(days, "previous_period", "Europe/Berlin"))).toHaveLength(2);
	const month = edgesOf(between("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"), "none", "UTC");
	expect(shown(comparedEdges(month, "previous_period", "UTC"))).toEqual([
		"2026-02-01T00:00:00.000Z",
		"2026-03-01T00:00:00.000Z",
	]);
});

test("named ranges end now where they have not ended", () => {
	const now = micros("2026-03-11T10:00:00Z");
	const range = (text: string) => {
		const { startMicros, endMicros } = readRange(text, now, "Europe/Berlin");
		return shown([startMicros, endMicros]);
	};
	expect(range("15m")).toEqual(["2026-03-11T09:45:00.000Z", "2026-03-11T10:00:00.000Z"]);
	expect(range("7d")).toEqual(["2026-03-04T10:00:00.000Z", "2026-03-11T10:00:00.000Z"]);
	expect(range("today")).toEqual(["2026-03-10T23:00:00.000Z", "2026-03-11T10:00:00.000Z"]);
	expect(range("yesterday")).toEqual(["2026-03-09T23:00:00.000Z", "2026-03-10T23:00:00.000Z"]);
	expect(range("this_week")[0]).toBe("2026-03-08T23:00:00.000Z");
	expect(range("last_week")).toEqual(["2026-03-01T23:00:00.000Z", "2026-03-08T23:00:00.000Z"]);
	expect(range("this_month")[0]).toBe("2026-02-28T23:00:00.000Z");
	expect(range("last_month")).toEqual(["2026-01-31T23:00:00.000Z", "2026-02-28T23:00:00.000Z"]);
	for (const wrong of ["0m", "1827d", "7", "next_week", "1s"])
		expect(() => range(wrong), wrong).toThrow(/range: Input/);
	expect(() => readRange("7d", now, "Mars/Olympus")).toThrow(/time zone/);
});

test("automatic buckets are at most 120", () => {
	for (const [range, bucket] of [
		["90m", "minute"],
		["24h", "15_minutes"],
		["7d", "6_hours"],
		["29d", "6_hours"],
		["30d", "day"],
		["365d", "week"],
		["1826d", "month"],
	] as const) {
		const span = readRange(range, micros("2026-03-11T10:07:00Z"), "UTC");
		expect(autoBucket(span), range).toBe(bucket);
		expect(edgesOf(span, autoBucket(span), "UTC").length, range).toBeLessThanOrEqual(121);
	}
	expect(() => edgesOf(between("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"), "minute", "UTC")).toThrow(
		/2000 buckets/,
	);
});

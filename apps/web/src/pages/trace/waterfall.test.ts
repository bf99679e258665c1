import { expect, test } from "vitest";
import { span } from "./trace-span.fixture.ts";
import { barOf, formatTick, shownTime, tickStep, ticks, traceWindow } from "./waterfall.ts";

test("spans the time from the first start to the last end", () => {
	const spans = [span("a", null, 100, { endMicros: 300 }), span("b", "a", 50, { endMicros: 60 })];
	expect(traceWindow(spans, 0)).toEqual({ startMicros: 50, endMicros: 300 });
});

test("is never empty: no spans, a span without length, an end before the start", () => {
	expect(traceWindow([], 0)).toEqual({ startMicros: 0, endMicros: 1 });
	expect(traceWindow([span("a", null, 5, { endMicros: 5 })], 0)).toEqual({ startMicros: 5, endMicros: 6 });
	expect(traceWindow([span("a", null, 5, { endMicros: 1 })], 0)).toEqual({ startMicros: 5, endMicros: 6 });
});

test("places a bar as fractions of the window, cut at its edges", () => {
	const window = { startMicros: 100, endMicros: 200 };
	expect(barOf(span("a", null, 125, { endMicros: 150 }), window)).toEqual({ left: 0.25, width: 0.25, cut: false });
	expect(barOf(span("a", null, 50, { endMicros: 150 }), window)).toEqual({ left: 0, width: 0.5, cut: true });
	expect(barOf(span("a", null, 150, { endMicros: 20 }), window)).toEqual({ left: 0.5, width: 0, cut: false });
	expect(barOf(span("a", null, 300, { endMicros: 350 }), window)).toBeUndefined();
});

test.each([
	[1_240_000, 5, 500_000],
	[44_279, 5, 10_000],
	[7, 5, 2],
	[3, 5, 1],
	[90_000_000, 5, 30_000_000],
	[3_600_000_000, 4, 900_000_000],
	[10 * 86_400_000_000, 5, 2 * 86_400_000_000],
	[56 * 365 * 86_400_000_000, 5, 5_000 * 86_400_000_000],
])("steps %i µs in at most %i round ticks of %i µs", (length, count, step) => {
	expect(tickStep(length, count)).toBe(step);
});

test("ticks stand at round offsets from the start of the trace", () => {
	expect(ticks({ startMicros: 1000, endMicros: 2000 }, 1000, 4)).toEqual([
		{ at: 0, offsetMicros: 0 },
		{ at: 0.5, offsetMicros: 500 },
		{ at: 1, offsetMicros: 1000 },
	]);
	expect(ticks({ startMicros: 1250, endMicros: 1750 }, 1000, 5).map((tick) => tick.offsetMicros)).toEqual([
		300, 400, 500, 600, 700,
	]);
});

test.each([
	[0, 500_000, "0"],
	[250_000, 50_000, "250 ms"],
	[1_500_000, 500_000, "1.5 s"],
	[40, 10, "40 µs"],
	[90_000_000, 30_000_000, "90 s"],
	[120_000_000, 60_000_000, "2 m"],
	[5_400_000_000, 1_800_000_000, "90 m"],
])("writes %i µs at a step of %i µs as %s", (offset, step, text) => {
	expect(formatTick(offset, step)).toBe(text);
});

test("the window of a trace lasts until now while a span runs, and such a span until the end of the window", () => {
	const running = span("a", null, 100, { endMicros: 100, state: "running" });
	const window = traceWindow([running, span("b", "a", 110, { endMicros: 120 })], 500);
	expect(window).toEqual({ startMicros: 100, endMicros: 500 });
	expect(barOf(shownTime(running, window), window)).toEqual({ left: 0, width: 1, cut: false });
	// The clock of this computer may be behind that of the sender.
	expect(traceWindow([running], 50)).toEqual({ startMicros: 100, endMicros: 101 });
	const unfinished = { ...running, state: "unfinished" } as const;
	expect(traceWindow([unfinished, span("b", "a", 110, { endMicros: 120 })], 500).endMicros).toBe(120);
});

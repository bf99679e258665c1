import { expect, test } from "vitest";
import { pan, zoomAround, zoomBy, zoomTo } from "./time-zoom.ts";

const whole = { startMicros: 1000, endMicros: 2000 };

test("shows the part between two places, in any order", () => {
	expect(zoomTo(whole, 0.5, 0.2)).toEqual({ startMicros: 1200, endMicros: 1500 });
	expect(zoomTo(whole, -1, 2)).toBeUndefined();
	expect(zoomTo(whole, 0.5, 0.5)).toEqual({ startMicros: 1495, endMicros: 1505 });
});

test("shows a span with some time around it", () => {
	expect(zoomAround(whole, { startMicros: 1400, endMicros: 1500 })).toEqual({ startMicros: 1390, endMicros: 1510 });
	expect(zoomAround(whole, { startMicros: 1000, endMicros: 1100 })).toEqual({ startMicros: 1000, endMicros: 1110 });
	expect(zoomAround(whole, whole)).toBeUndefined();
	expect(zoomAround(whole, { startMicros: 1500, endMicros: 900 })).toEqual({ startMicros: 1495, endMicros: 1505 });
});

test("zooms in and out around a time, and ends at the whole", () => {
	const half = zoomBy(whole, whole, 0.5, 0.5);
	expect(half).toEqual({ startMicros: 1250, endMicros: 1750 });
	expect(zoomBy(whole, whole, 0.5, 0)).toEqual({ startMicros: 1000, endMicros: 1500 });
	expect(zoomBy(whole, half ?? whole, 4, 0.5)).toBeUndefined();
});

test("moves the window up to either end", () => {
	const shown = { startMicros: 1200, endMicros: 1400 };
	expect(pan(whole, shown, 0.1)).toEqual({ startMicros: 1300, endMicros: 1500 });
	expect(pan(whole, shown, 5)).toEqual({ startMicros: 1800, endMicros: 2000 });
	expect(pan(whole, shown, -5)).toEqual({ startMicros: 1000, endMicros: 1200 });
});

import { expect, test } from "vitest";
import { RecentPlaces } from "./recent-places.ts";

const PLACE = { trace_id: Buffer.alloc(16, 1), project_id: 1 };

test("the place that was noted last counts, and the oldest are forgotten", () => {
	const recent = new RecentPlaces();
	for (const anchor_micros of [5, 7]) recent.note([{ ...PLACE, id: 1, anchor_micros }]);
	expect(recent.find(1)).toEqual({ ...PLACE, anchor_micros: 7 });
	const many = Array.from({ length: 9_999 }, (_, index) => ({ ...PLACE, id: index + 2, anchor_micros: index }));
	recent.note(many);
	expect(recent.find(1)?.anchor_micros).toBe(7);
	recent.note([{ ...PLACE, id: 20_000, anchor_micros: 1 }]);
	expect(recent.find(1)).toBeUndefined();
	expect(recent.find(2)?.anchor_micros).toBe(0);
});

import type { Analytics } from "@spanward/client";
import { expect, test } from "vitest";
import { perTime } from "./per-time.ts";

const bucket = (start: string, end: string) => ({ start_time: `2026-01-01T${start}Z`, end_time: `2026-01-01T${end}Z` });

test("counts are divided by the length of their bucket, also of one that the range cuts, and rates are not", () => {
	const cells = { totals: { count: 90, error_rate: 0.5 }, values: { count: [30, 60], error_rate: [0.25, null] } };
	const answer = {
		...{ start_time: "2026-01-01T00:30:00Z", end_time: "2026-01-01T02:00:00Z", series: [], others: null },
		buckets: [bucket("00:30:00", "01:00:00"), bucket("01:00:00", "02:00:00")],
		all: { ...cells, previous: cells, drill_down: null },
	};
	const { all } = perTime(answer as unknown as Analytics, "hour");
	expect(all).toMatchObject({
		...{ totals: { count: 60, error_rate: 0.5 }, values: { count: [60, 60], error_rate: [0.25, null] } },
		previous: { totals: { count: 60 } },
	});
});

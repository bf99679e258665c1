import type { Analytics } from "@spanward/client";
import { isAdditive } from "../../analytics/measures.ts";

const MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type Cells = Pick<Analytics["all"], "totals" | "values">;

/** An answer whose counts and sums are rates: how much a minute, hour or day. Rates and percentiles stay as they are. */
export function perTime(answer: Analytics, per: keyof typeof MS): Analytics {
	const lengths = answer.buckets.map(({ start_time, end_time }) => lengthOf(start_time, end_time) / MS[per]);
	const whole = lengthOf(answer.start_time, answer.end_time) / MS[per];
	const divided = <T extends Cells>(cells: T): T => ({
		...cells,
		totals: mapped(cells.totals, (value) => over(value, whole)),
		values: mapped(cells.values, (values) => values.map((value, at) => over(value, lengths[at] ?? 0))),
	});
	const compared = <T extends Cells & { previous?: Cells | undefined }>(cells: T): T => ({
		...divided(cells),
		...(cells.previous ? { previous: divided(cells.previous) } : {}),
	});
	return {
		...answer,
		series: answer.series.map(compared),
		others: answer.others && compared(answer.others),
		all: compared(answer.all),
	};
}

function mapped<T>(byMeasure: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
	return Object.fromEntries(
		Object.entries(byMeasure).map(([measure, value]) => [measure, isAdditive(measure) ? change(value) : value]),
	);
}

function over(value: number | null, length: number): number | null {
	return value === null || length === 0 ? value : value / length;
}

function lengthOf(start: string, end: string): number {
	return Date.parse(end) - Date.parse(start);
}

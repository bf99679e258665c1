import type { Threshold } from "./chart.ts";

const TONES = { warning: "text-warn", danger: "text-danger" } as const;

/** The class of a number by the highest threshold that it reaches; undefined below all of them. */
export function thresholdTone(
	thresholds: readonly Threshold[] | undefined,
	value: number | null | undefined,
): string | undefined {
	if (value === null || value === undefined) return undefined;
	const reached = thresholds?.filter((threshold) => value >= threshold.value).toSorted((a, b) => b.value - a.value)[0];
	return reached && TONES[reached.color];
}

import { useState } from "react";

const KEPT = 60;

interface Reading {
	readonly count: number;
	readonly at: number;
	readonly rates: readonly number[];
}

/** The growth of a counter between readings, per second, the newest last; a counter that fell was restarted. */
export function useRate(count: number, readAt: number): readonly number[] {
	const [before, setBefore] = useState<Reading>({ count, at: readAt, rates: [] });
	if (readAt <= before.at) return before.rates;
	const rate = Math.max(0, (count - before.count) / ((readAt - before.at) / 1000));
	const next = { count, at: readAt, rates: [...before.rates, rate].slice(-KEPT) };
	setBefore(next);
	return next.rates;
}

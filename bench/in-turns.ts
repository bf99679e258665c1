import { describeSpread, type Figure, quantile } from "./figure.ts";

/** Each measured `runs` times in turns, so that all see the same state of the machine, after one turn that does not count. */
export async function inTurns<Name extends string>(
	runs: number,
	measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
	const names = Object.keys(measures) as Name[];
	const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
	for (let run = -1; run < runs; run++) {
		for (const name of names) {
			const value = await measures[name]();
			if (run >= 0) results[name].push(value);
		}
	}
	return results;
}

/** The median of one as a share of another's, in percent. @param unit of both, and how they were measured */
export function compareRates(
	name: string,
	measured: readonly number[],
	base: readonly number[],
	atLeast: number,
	unit: string,
): Figure {
	return {
		name,
		value: (100 * quantile(measured, 0.5)) / quantile(base, 0.5),
		unit: "%",
		target: { atLeast },
		detail: `medians, in turns; ${describeSpread(measured)} against ${describeSpread(base)} ${unit}`,
	};
}

/** The median of one as a multiple of another's. @param unit of both, and how they were measured */
export function compareTimes(
	name: string,
	measured: readonly number[],
	base: readonly number[],
	atMost: number,
	unit: string,
): Figure {
	return {
		name,
		value: quantile(measured, 0.5) / quantile(base, 0.5),
		unit: "×",
		target: { atMost },
		detail: `medians, in turns; ${describeSpread(measured)} against ${describeSpread(base)} ${unit}`,
	};
}

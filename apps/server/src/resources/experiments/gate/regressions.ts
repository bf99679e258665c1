import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { ExperimentRow } from "../queries.ts";
import type { ScoreTotals } from "../totals.ts";
import { findRegressions, type Regression } from "./gate-queries.ts";
import type { Measures } from "./measures.ts";

interface Compared {
	readonly experiment: ExperimentRow;
	readonly baseline: ExperimentRow;
	readonly minimized: ReadonlySet<string>;
}

/**
 * The examples that lost most against the baseline. Losses of several metrics are compared by the part of the metric's
 * range that they are.
 */
export async function largestRegressions(
	db: Kysely<Tables>,
	{ experiment, baseline, minimized }: Compared,
	{ metrics, measures, limit }: { metrics: readonly string[]; measures: Measures; limit: number },
): Promise<Regression[]> {
	const { baselineScores, totals } = measures;
	const found: { readonly regression: Regression; readonly part: number }[] = [];
	for (const metric of metrics) {
		const [here, before] = [totals.scores.get(metric), baselineScores.get(metric)];
		if (here === undefined || before === undefined) continue;
		const range = rangeOf(here, before);
		const options = { isMinimized: minimized.has(metric), limit };
		for (const regression of await findRegressions(db, { experiment, baseline, metric }, options))
			found.push({ regression, part: Math.abs(regression.value - regression.baseline) / range });
	}
	// The sort is stable: equal losses stay in the order of their examples.
	return found
		.sort((a, b) => b.part - a.part)
		.slice(0, limit)
		.map(({ regression }) => regression);
}

function rangeOf(one: ScoreTotals, other: ScoreTotals): number {
	return Math.max(one.highest, other.highest) - Math.min(one.lowest, other.lowest);
}

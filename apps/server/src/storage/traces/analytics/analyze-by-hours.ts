import type { AnalyticsAnswer, AnalyticsQuery } from "./analytics-query.ts";
import { analyze } from "./analyze.ts";
import { analyzeDistribution } from "./analyze-distribution.ts";
import { lookAtRows, type RowsOfProject } from "./analyze-lists.ts";
import { isOfTotals, lookAtTotals, type ReadHours } from "./hour-sums.ts";
import { lacksFailures, type OccurrenceReader } from "./occurrence-reader.ts";
import { AnalyticsPlan } from "./plan.ts";

/** Answers from the totals of hours, where they say what is asked, else from rows. @throws TooManyGroups */
export async function analyzeByHours(
	query: AnalyticsQuery,
	readHours: ReadHours,
	rowsOf: RowsOfProject,
	occurrences: OccurrenceReader,
): Promise<AnalyticsAnswer> {
	// Asked first: what is grouped meanwhile may or may not be in the answer.
	if (await lacksFailures(query, occurrences)) return { ...(await analyzeRows(query, rowsOf)), isBehind: true };
	if (query.distribution === undefined && isOfTotals(new AnalyticsPlan(query)))
		return { ...(await analyze(query, lookAtTotals(readHours, rowsOf))), source: "totals" };
	return await analyzeRows(query, rowsOf);
}

async function analyzeRows(query: AnalyticsQuery, rowsOf: RowsOfProject): Promise<AnalyticsAnswer> {
	const look = lookAtRows(rowsOf);
	const answer =
		query.distribution === undefined
			? await analyze(query, look)
			: await analyzeDistribution(query, query.distribution, look);
	return { ...answer, source: "rows" };
}

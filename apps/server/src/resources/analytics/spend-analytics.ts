import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";
import { readSpendState } from "#storage/spend-state.ts";
import type {
	AnalyticsAnswer,
	AnalyticsQuery,
	GroupBy,
	GroupValue,
} from "#storage/traces/analytics/analytics-query.ts";
import { analyze, type Look, type SummedRows } from "#storage/traces/analytics/analyze.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { HOUR_MICROS } from "#storage/traces/totals/hour-changes.ts";
import { QUARTER_MICROS } from "#storage/traces/totals/spend-changes.ts";
import { firstQuarter, type SpendField, type SpendSum, sumSpend } from "../spend/queries.ts";
import { stepsBack } from "./steps-back.ts";

const QUARTERS_OF_DAY = 96;
/** Quarters that are read at a time, and fewer where each is a row of its own. */
const STEP = 62 * QUARTERS_OF_DAY;
const STEP_BY_QUARTER = 7 * QUARTERS_OF_DAY;

/**
 * Answers a question about what was spent, of stored spans and deleted ones. A quarter of an hour counts where it begins.
 * @throws TooManyGroups
 */
export async function analyzeSpend(db: Kysely<Tables>, query: AnalyticsQuery): Promise<AnalyticsAnswer> {
	const completeFrom = await findCompleteFrom(db);
	return { ...(await analyze(query, lookAtQuarters(db, completeFrom))), source: "totals" };
}

/** Since when all is counted, in microseconds, while what was spent before an upgrade is still to be. */
async function findCompleteFrom(db: Kysely<Tables>): Promise<number> {
	const { isFilling, position } = await readSpendState(db);
	if (!isFilling) return Number.NEGATIVE_INFINITY;
	return position === undefined ? Number.POSITIVE_INFINITY : (position.hour + 1) * HOUR_MICROS;
}

function lookAtQuarters(db: Kysely<Tables>, completeFrom: number): Look {
	return async function* (plan, edges) {
		const { projectIds, groupBy } = plan.query;
		const [start = 0, end = 0] = [edges[0], edges.at(-1) ?? 0];
		// Nothing is told of what is not counted as a whole.
		const complete = Math.min(Math.max(start, completeFrom), end);
		const isByQuarter = edges.length > 2;
		const step = isByQuarter ? STEP_BY_QUARTER : STEP;
		const by = [...new Set(groupBy.map(fieldOf)), ...(isByQuarter ? (["quarter"] as const) : [])];
		const first = (await firstQuarter(db, projectIds)) ?? Number.POSITIVE_INFINITY;
		const least = Math.max(first, Math.ceil(complete / QUARTER_MICROS));
		for (const { from, to } of stepsBack(least, Math.ceil(end / QUARTER_MICROS), step)) {
			const sums = await sumSpend(db, { projectIds, from, to, by });
			yield {
				rows: [],
				sums: sums.filter(isSomething).map((sum) => summedRows(plan, sum, from)),
				reachedMicros: Math.max(complete, from * QUARTER_MICROS),
			};
		}
		yield { rows: [], reachedMicros: complete };
	};
}

/** @param from the first quarter of those that were added up */
function summedRows({ query, parts }: AnalyticsPlan, sum: SpendSum, from: number): SummedRows {
	const values = new Map<number, number>();
	const [cost, tokens] = [parts.placeOf("cost cost_total"), parts.placeOf("sum tokens_total")];
	if (cost !== undefined) values.set(cost, sum.micro).set(cost + 1, sum.pico);
	if (tokens !== undefined) values.set(tokens, sum.tokens);
	return {
		micros: (sum.quarter ?? from) * QUARTER_MICROS,
		group: query.groupBy.map((by) => groupValueOf(sum, fieldOf(by))),
		addTo: (cell) => cell.addSums(1, values),
	};
}

/** What was given to another user or project leaves rows of nothing. */
function isSomething({ tokens, micro, pico }: SpendSum): boolean {
	return tokens !== 0 || micro !== 0 || pico !== 0;
}

function fieldOf(by: GroupBy): SpendField {
	if (by.type === "field" && by.name === "api_key") return "api_key_id";
	if (by.type === "field" && by.name === "project") return "project_id";
	if (by.type === "field" && by.name === "user") return "user_id";
	throw new Error(`nothing that was spent is grouped by ${by.type}`);
}

function groupValueOf(sum: SpendSum, field: SpendField): GroupValue {
	const value = sum[field] ?? null;
	if (field !== "api_key_id") return value;
	// Without a key it is 0.
	return value === 0 ? null : String(value);
}

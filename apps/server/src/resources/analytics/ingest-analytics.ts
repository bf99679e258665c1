import type { Kysely } from "kysely";
import { MINUTE_MICROS } from "#ingest/history/ingest-history.ts";
import { firstIngestMinute, type IngestMinute, listIngestMinutes } from "#ingest/history/queries.ts";
import type { Tables } from "#storage/schema.ts";
import type { AnalyticsAnswer, AnalyticsQuery, GroupValue } from "#storage/traces/analytics/analytics-query.ts";
import { analyze, type Look } from "#storage/traces/analytics/analyze.ts";
import type { AskedRow } from "#storage/traces/analytics/analyze-lists.ts";
import type { Quantity } from "#storage/traces/analytics/measures.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { stepsBack } from "./steps-back.ts";

/** Minutes that are read at a time. */
const STEP = 1_440;

/** Answers a question about what became of exports, from what all servers have written down. @throws TooManyGroups */
export async function analyzeIngest(db: Kysely<Tables>, query: AnalyticsQuery): Promise<AnalyticsAnswer> {
	return { ...(await analyze(query, lookAtMinutes(db))), source: "totals" };
}

function lookAtMinutes(db: Kysely<Tables>): Look {
	return async function* (plan, edges) {
		const [start = 0, end = 0] = [edges[0], edges.at(-1)];
		const first = (await firstIngestMinute(db)) ?? Number.POSITIVE_INFINITY;
		const least = Math.max(first, Math.ceil(start / MINUTE_MICROS));
		for (const { from, to } of stepsBack(least, Math.ceil(end / MINUTE_MICROS), STEP)) {
			const rows = await listIngestMinutes(db, { from, to });
			yield { rows: rows.map((row) => askedRow(plan, row)), reachedMicros: Math.max(start, from * MINUTE_MICROS) };
		}
		yield { rows: [], reachedMicros: start };
	};
}

function askedRow({ query, parts }: AnalyticsPlan, row: IngestMinute): AskedRow {
	return {
		micros: row.minute * MINUTE_MICROS,
		groups: query.groupBy.map((by): GroupValue => {
			if (by.type !== "export") return null;
			return by.name === "server" ? row.server : row.reason || null;
		}),
		quantities: parts.quantities.map((name) => NUMBERS[name]?.(row) ?? null),
		identities: [],
	};
}

const NUMBERS: Readonly<Record<Quantity, (row: IngestMinute) => number>> = {
	accepted_spans: ({ accepted_spans }) => accepted_spans,
	duplicate_spans: ({ duplicate_spans }) => duplicate_spans,
	rejected_spans: ({ rejected_spans }) => rejected_spans,
	refused_requests: ({ refused_requests }) => refused_requests,
};

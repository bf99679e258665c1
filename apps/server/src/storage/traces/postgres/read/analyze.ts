import type pg from "pg";
import type { AnalyticsAnswer, AnalyticsQuery } from "#storage/traces/analytics/analytics-query.ts";
import { analyzeByHours } from "#storage/traces/analytics/analyze-by-hours.ts";
import { type AnalyticsLists, listRows, type RowsOfProject, TARGETS } from "#storage/traces/analytics/analyze-lists.ts";
import { type AnnotationReader, sqlAnnotationReader } from "#storage/traces/analytics/annotation-reader.ts";
import { countValues, type ValueCounts, type ValuesQuery } from "#storage/traces/analytics/count-values.ts";
import { type HourSums, hourSumsOf } from "#storage/traces/analytics/hour-sums.ts";
import { listAnnotations } from "#storage/traces/analytics/list-annotations.ts";
import { listErrors } from "#storage/traces/analytics/list-errors.ts";
import { type OccurrenceReader, sqlOccurrenceReader } from "#storage/traces/analytics/occurrence-reader.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import type { HourRow } from "#storage/traces/totals/hour-changes.ts";
import type { TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import { type FilterPlan, planFilter } from "../filter/plan.ts";
import { listSpanRows } from "./list-spans.ts";
import { listTraces } from "./list-traces.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { type Queryable, query as run } from "./query.ts";
import { scanRows } from "./scan-rows.ts";
import { listSessions } from "./sessions.ts";
import type { ShownTextsReader } from "./shown-texts.ts";
import { SpanContents } from "./span-contents.ts";
import { sumUsers } from "./sum-users.ts";

export interface AnalyticsSources {
	/** In a transaction with one snapshot. */
	readonly client: pg.PoolClient;
	readonly texts: ShownTextsReader;
	readonly tracesOf: (where: PostgresConditions) => Promise<TraceWithoutTexts[]>;
}

export async function analyzeRows(sources: AnalyticsSources, query: AnalyticsQuery): Promise<AnalyticsAnswer> {
	return await analyzeByHours(
		query,
		(ids, hours) => readHours(sources.client, ids, hours),
		await rowsOfProjects(sources, query),
		occurrencesOf(sources.client),
	);
}

/** As {@link analyzeRows}. */
export async function countValuesOfRows(
	sources: AnalyticsSources,
	query: ValuesQuery,
): Promise<readonly ValueCounts[]> {
	const rowsOf = await rowsOfProjects(sources, { ...query, projectIds: [query.projectId] });
	return await countValues(query, rowsOf, occurrencesOf(sources.client));
}

async function rowsOfProjects(
	sources: AnalyticsSources,
	query: Pick<AnalyticsQuery, "of" | "projectIds" | "condition">,
): Promise<RowsOfProject> {
	const { client } = sources;
	const lists = listsOf(sources);
	const plans = new Map<number, FilterPlan | undefined>();
	for (const projectId of query.projectIds)
		plans.set(projectId, await planFilter(client, { ...query, projectId }, TARGETS[query.of]));
	return (plan, projectId, range) => {
		if (plan.query.of === "annotations") return listAnnotations(lists, plan, projectId, range);
		if (plan.query.of === "errors") return listErrors(lists, plan, projectId, range);
		return (
			sumUsers(client, plan, projectId, range) ??
			scanRows(client, plan, plans.get(projectId), projectId, range) ??
			listRows(lists, plan, projectId, range)
		);
	};
}

/** The sums of all slots. */
async function readHours(
	client: Queryable,
	projectIds: readonly number[],
	{ from, to }: { readonly from: number; readonly to: number },
): Promise<HourSums[]> {
	const sums = [...COUNTS, ...SUMS].map((column) => `sum(${column}) as ${column}`).join(", ");
	const rows = await run<HourRow>(
		client,
		`select project_id, hour, kind, model, ${sums}, string_agg(latency, '') as latency
		from hours where project_id = any(?::bigint[]) and hour >= ? and hour < ? group by project_id, hour, kind, model`,
		[projectIds, from, to],
	);
	return rows.map(hourSumsOf);
}

function annotationsOf(client: Queryable): AnnotationReader {
	return sqlAnnotationReader(
		() => new PostgresConditions(),
		(sql, values) => run(client, sql, values),
	);
}

function occurrencesOf(client: Queryable): OccurrenceReader {
	return sqlOccurrenceReader(
		() => new PostgresConditions(),
		(sql, values) => run(client, sql, values),
	);
}

const COUNTS = ["trace_count", "span_count", "running_count", "error_count"];
const SUMS = ["tokens_prompt", "tokens_completion", "tokens_total", "cost_micro", "cost_pico"];

function listsOf({ client, texts, tracesOf }: AnalyticsSources): AnalyticsLists<SpanSummaryRow> {
	return {
		spans: (query) => listSpanRows(client, query),
		traces: (query) => listTraces(client, query, texts),
		sessions: (query) => listSessions(client, query, texts),
		annotations: annotationsOf(client),
		occurrences: occurrencesOf(client),
		tracesOfSessions: (ids) => tracesOf(new PostgresConditions().addIn("traces.session_row_id", ids)),
		attributes: async (spans) => {
			const found = new Map<number, SpanAttributes>();
			for await (const { row, content } of new SpanContents(client).read(spans))
				found.set(row.id, new SpanAttributes(content.span, () => content));
			return found;
		},
	};
}

import type { DatabaseSync } from "node:sqlite";
import { endIfAbandoned } from "#storage/sqlite/abandoned-calls.ts";
import { listRows as listRowsOf } from "#storage/sqlite/rows.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "#storage/traces/analytics/analytics-query.ts";
import { analyzeByHours } from "#storage/traces/analytics/analyze-by-hours.ts";
import {
	type AnalyticsLists,
	type AskedPage,
	listRows,
	type RowsOfProject,
	TARGETS,
} from "#storage/traces/analytics/analyze-lists.ts";
import { type AnnotationReader, sqlAnnotationReader } from "#storage/traces/analytics/annotation-reader.ts";
import { countValues, type ValueCounts, type ValuesQuery } from "#storage/traces/analytics/count-values.ts";
import { type HourSums, hourSumsOf, type ReadHours } from "#storage/traces/analytics/hour-sums.ts";
import { listAnnotations } from "#storage/traces/analytics/list-annotations.ts";
import { listErrors } from "#storage/traces/analytics/list-errors.ts";
import { type OccurrenceReader, sqlOccurrenceReader } from "#storage/traces/analytics/occurrence-reader.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import type { ReadShownTexts } from "#storage/traces/content/shown-texts.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import type { SpanSummaryRow } from "#storage/traces/rows/span-summaries.ts";
import type { HourRow } from "#storage/traces/totals/hour-changes.ts";
import type { TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import type { FilterFunctions } from "../filter/functions.ts";
import { planFilter } from "../filter/plan.ts";
import type { TextSearch } from "../text/text-search.ts";
import { listSpanRows } from "./list-spans.ts";
import { listTraces } from "./list-traces.ts";
import type { RowFeed } from "./row-feed.ts";
import { scanRows } from "./scan-rows.ts";
import { listSessions } from "./sessions.ts";
import type { SpanContents } from "./span-contents.ts";
import { sumUsers } from "./sum-users.ts";

export interface AnalyticsSources {
	readonly db: DatabaseSync;
	readonly contents: SpanContents;
	readonly search: TextSearch;
	readonly functions: FilterFunctions;
	readonly feed: RowFeed;
	readonly tracesOf: (where: Conditions) => TraceWithoutTexts[];
}

/** Answers a question in the transaction that the caller has begun. */
export async function analyzeRows(sources: AnalyticsSources, query: AnalyticsQuery): Promise<AnalyticsAnswer> {
	const { db } = sources;
	const hoursOf: ReadHours = (ids, hours) => readHours(db, ids, hours);
	return await analyzeByHours(query, hoursOf, rowsOfProject(sources), occurrencesOf(db));
}

/** As {@link analyzeRows}. */
export async function countValuesOfRows(
	sources: AnalyticsSources,
	query: ValuesQuery,
): Promise<readonly ValueCounts[]> {
	return await countValues(query, rowsOfProject(sources), occurrencesOf(sources.db));
}

function rowsOfProject(sources: AnalyticsSources): RowsOfProject {
	const { db, contents, functions } = sources;
	const lists = listsOf(sources);
	return (plan, projectId, range) => {
		const { query } = plan;
		if (query.of === "annotations") return whileAwaited(listAnnotations(lists, plan, projectId, range));
		if (query.of === "errors") return whileAwaited(listErrors(lists, plan, projectId, range));
		const filter = planFilter(db, functions, contents, { ...query, projectId }, TARGETS[query.of]);
		const sums = sumUsers(db, plan, projectId, range);
		if (sums !== undefined) return sums;
		return whileAwaited(scanRows(sources, plan, filter, projectId, range) ?? listRows(lists, plan, projectId, range));
	};
}

/** Ends between two pages when nobody waits any more. @throws Abandoned */
async function* whileAwaited(pages: AsyncGenerator<AskedPage>): AsyncGenerator<AskedPage> {
	for await (const page of pages) {
		endIfAbandoned();
		yield page;
	}
}

async function readHours(
	db: DatabaseSync,
	projectIds: readonly number[],
	{ from, to }: { readonly from: number; readonly to: number },
): Promise<HourSums[]> {
	const rows = db.prepare("select * from hours where project_id = ? and hour >= ? and hour < ?");
	return projectIds.flatMap((id) => listRowsOf<HourRow>(rows, id, from, to).map(hourSumsOf));
}

function annotationsOf(db: DatabaseSync): AnnotationReader {
	return sqlAnnotationReader(
		() => new Conditions(),
		async (sql, values) => listRowsOf(db.prepare(sql), ...values),
	);
}

function occurrencesOf(db: DatabaseSync): OccurrenceReader {
	return sqlOccurrenceReader(
		() => new Conditions(),
		async (sql, values) => listRowsOf(db.prepare(sql), ...values),
	);
}

const NO_TEXTS: ReadShownTexts = () => new Map();

function listsOf({ db, contents, search, functions, tracesOf }: AnalyticsSources): AnalyticsLists<SpanSummaryRow> {
	return {
		spans: async (query) => listSpanRows(db, query, contents, search, functions),
		traces: async (query) => listTraces(db, query, contents, search, functions, NO_TEXTS),
		sessions: async (query) => listSessions(db, query, contents, search, functions, NO_TEXTS),
		annotations: annotationsOf(db),
		occurrences: occurrencesOf(db),
		tracesOfSessions: async (ids) => tracesOf(new Conditions().addIn("traces.session_row_id", ids)),
		attributes: async (spans) =>
			new Map(
				spans.map((row) => {
					const content = () => contents.of(row);
					return [row.id, new SpanAttributes(contents.spanOf(row)?.bytes ?? content().span, content)] as const;
				}),
			),
	};
}

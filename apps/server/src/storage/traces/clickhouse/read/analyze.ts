import { pickColumns } from "#storage/clickhouse/row-binary.ts";
import type { ShardReader } from "#storage/clickhouse/shard.ts";
import type { AnalyticsAnswer, AnalyticsQuery } from "#storage/traces/analytics/analytics-query.ts";
import { analyzeByHours } from "#storage/traces/analytics/analyze-by-hours.ts";
import { type AnalyticsLists, listRows, type RowsOfProject } from "#storage/traces/analytics/analyze-lists.ts";
import { countValues, type ValueCounts, type ValuesQuery } from "#storage/traces/analytics/count-values.ts";
import { type HourSums, type ReadHours, toHourSums } from "#storage/traces/analytics/hour-sums.ts";
import { listAnnotations } from "#storage/traces/analytics/list-annotations.ts";
import { listErrors } from "#storage/traces/analytics/list-errors.ts";
import { SpanAttributes } from "#storage/traces/content/attribute-values.ts";
import { toTraceWithoutTexts } from "#storage/traces/rows/trace-summaries.ts";
import type { Sources } from "../filter/world.ts";
import { renewSpans } from "../readings/renew-spans.ts";
import { renewTraces } from "../readings/renew-traces.ts";
import { HOURS, type SpanRow } from "../tables.ts";
import { annotationsOf } from "./annotations.ts";
import { inRanges } from "./bounds.ts";
import { Conditions } from "./conditions.ts";
import { readContents } from "./contents.ts";
import { listSpanRows } from "./list-spans.ts";
import { listTraces } from "./list-traces.ts";
import { HOUR_SUMS, HOUR_SUMS_SQL, LATENCIES } from "./metrics.ts";
import { occurrencesOf } from "./occurrences.ts";
import { selectFinal } from "./query.ts";
import { listSessions } from "./sessions.ts";
import { findTracesOfSessions } from "./trace-rows.ts";

export async function analyzeRows(sources: Sources, query: AnalyticsQuery): Promise<AnalyticsAnswer> {
	const hoursOf: ReadHours = (ids, hours) => readHours(sources.shard, ids, hours);
	return await analyzeByHours(query, hoursOf, rowsOfProject(sources), occurrencesOf(sources));
}

export async function countValuesOfRows(sources: Sources, query: ValuesQuery): Promise<readonly ValueCounts[]> {
	return await countValues(query, rowsOfProject(sources), occurrencesOf(sources));
}

function rowsOfProject(sources: Sources): RowsOfProject {
	const lists = listsOf(sources);
	return (plan, projectId, range) => {
		if (plan.query.of === "annotations") return listAnnotations(lists, plan, projectId, range);
		if (plan.query.of === "errors") return listErrors(lists, plan, projectId, range);
		return listRows(lists, plan, projectId, range);
	};
}

const COLUMNS = pickColumns(HOURS.columns, ["project_id", "hour", "kind", "model"]);

async function readHours(
	shard: ShardReader,
	projectIds: readonly number[],
	hours: { readonly from: number; readonly to: number },
): Promise<HourSums[]> {
	const rows = await inRanges(hours, 1, (part) => {
		const where = new Conditions().addIn("hours.project_id", "Int64", projectIds);
		const bound = [where.bind("Int64", part.from), where.bind("Int64", part.to)];
		where.add(`hours.hour >= ${bound[0]} and hours.hour < ${bound[1]}`);
		return selectFinal(
			shard,
			`select project_id, hour, kind, model, ${HOUR_SUMS_SQL}
			from hours where ${where.sql} group by project_id, hour, kind, model`,
			{ ...COLUMNS, ...HOUR_SUMS, latencies: LATENCIES },
			where.params,
		);
	});
	return rows.map((row) =>
		toHourSums(row, (add) => {
			for (const [bucket, count] of row.latencies) add(bucket, count);
		}),
	);
}

function listsOf(sources: Sources): AnalyticsLists<SpanRow> {
	const sessions: AnalyticsLists["sessions"] = (query) => listSessions(sources, query);
	return {
		annotations: annotationsOf(sources, sessions),
		occurrences: occurrencesOf(sources),
		spans: async (query) => {
			const page = await listSpanRows(sources, query);
			return { ...page, items: await renewSpans(sources, page.items) };
		},
		traces: (query) => listTraces(sources, query),
		sessions,
		tracesOfSessions: async (ids) =>
			(await renewTraces(sources, await findTracesOfSessions(sources.shard, ids))).map(toTraceWithoutTexts),
		attributes: async (spans) => {
			const contents = await readContents(sources.shard, spans);
			return new Map(
				Array.from(contents, ([id, content]) => [id, new SpanAttributes(content.span, () => content)] as const),
			);
		},
	};
}

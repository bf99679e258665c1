import type { Analytics, Operations } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { isNamedRange } from "../lib/range-names.ts";
import { resolveRange } from "../lib/time-range.ts";
import { type AnalyticsQuery, firstMeasure, measuresOf } from "./chart.ts";
import { ALL_TIME } from "./search.ts";

type Parameters = NonNullable<Operations["get"]["/v1/analytics"]["query"]>;

/** All rows, measures and groups that can be asked for. */
export const schemaQuery = queryOptions({
	queryKey: ["analytics-schema"],
	queryFn: async ({ signal }) => (await api.get("/v1/analytics/schema", { signal })).data,
	staleTime: Number.POSITIVE_INFINITY,
});

/**
 * The answer to a question.
 * @param project its name or id; undefined: about the projects that the question names, or all
 * @param zone where the question names none
 */
export function analyticsQuery(project: string | undefined, query: AnalyticsQuery, zone: string) {
	return queryOptions({
		queryKey: ["analytics", project ?? null, query, zone] as const,
		queryFn: async ({ signal }) => {
			const asked = parametersOf(query, zone);
			const start = query.start_time === ALL_TIME ? await firstMonth(project, asked, signal) : undefined;
			return await ask(project, withTimes(asked, start), signal);
		},
		staleTime: 15_000,
		// The answer before stays until the next one is there, but not under another project.
		placeholderData: (before, shown) => (shown?.queryKey[1] === (project ?? null) ? before : undefined),
	});
}

/** The question as parameters of a request. A range stays one, so that the same request asks for the newest later. */
export function parametersOf(query: AnalyticsQuery, zone: string): Parameters {
	const { measure: _measure, group_by, project, annotation_name, annotator_kind, ...rest } = query;
	return {
		...rest,
		...(query.distribution === undefined ? { measure: [...measuresOf(query)] } : {}),
		...(group_by ? { group_by: [...group_by] } : {}),
		...(project ? { project: [...project] } : {}),
		...(annotation_name ? { annotation_name: [...annotation_name] } : {}),
		...(annotator_kind ? { annotator_kind: [...annotator_kind] } : {}),
		time_zone: query.time_zone ?? zone,
	};
}

/** Whole milliseconds, which lists have in their addresses: then the list of a cell has exactly the rows of the cell. */
function withTimes(asked: Parameters, start: string | undefined): Parameters {
	const { range, ...rest } = asked;
	if (isNamedRange(range)) return asked;
	const from = range === undefined ? undefined : resolveRange({ from: range }).from;
	const begin = from === undefined ? (start ?? asked.start_time) : new Date(from).toISOString();
	return {
		...rest,
		...(begin === undefined ? {} : { start_time: begin }),
		end_time: asked.end_time ?? new Date().toISOString(),
	};
}

async function ask(project: string | undefined, query: Parameters, signal: AbortSignal): Promise<Analytics> {
	if (project === undefined) return (await api.get("/v1/analytics", { query, signal })).data;
	const { project: _project, ...ofOne } = query;
	const path = { project_identifier: project };
	return (await api.get("/v1/projects/{project_identifier}/analytics", { path, query: ofOne, signal })).data;
}

/** When the month of the oldest row begins; the beginning of time where there is none. */
async function firstMonth(project: string | undefined, query: Parameters, signal: AbortSignal): Promise<string> {
	const { group_by: _groups, compare: _compare, sort: _sort, limit: _limit, range: _range, ...more } = query;
	const { distribution: _distribution, bins: _bins, scale: _scale, ...asked } = more;
	const measure = firstMeasure(query.of ?? "spans");
	const { buckets, all } = await ask(
		project,
		{ ...asked, measure: [measure], bucket: "month", start_time: ALL_TIME, end_time: new Date().toISOString() },
		signal,
	);
	const at = all.values[measure]?.findIndex((value) => value !== 0) ?? -1;
	return buckets[at]?.start_time ?? ALL_TIME;
}

import type { AnalyticsQuery } from "../../analytics/chart.ts";
import { parametersOf } from "../../analytics/queries.ts";

/** A question as programs ask it. */
export interface Question {
	/** Its name or id; undefined: about several. */
	readonly project: string | undefined;
	readonly query: AnalyticsQuery;
	readonly zone: string;
}

export function questionPath({ project }: Question): string {
	return project === undefined ? "/v1/analytics" : `/v1/projects/${encodeURIComponent(project)}/analytics`;
}

/** Repeated ones once each. */
export function questionParameters({ project, query, zone }: Question): [name: string, value: string][] {
	const { project: projects, ...rest } = parametersOf(query, zone);
	const asked = project === undefined && projects !== undefined ? { ...rest, project: projects } : rest;
	return Object.entries(asked).flatMap(([name, value]) =>
		[value].flat().map((each): [string, string] => [name, String(each)]),
	);
}

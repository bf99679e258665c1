import type { z } from "zod";
import { formatTime } from "#http/wire-times.ts";
import type {
	AnalyticsAnswer,
	AnalyticsQuery,
	Cells,
	ComparedCells,
	DistributionScale,
	GroupValue,
	SpreadNumbers,
} from "#storage/traces/analytics/analytics-query.ts";
import { MEASURES } from "#storage/traces/analytics/measures.ts";
import { filterOfAnnotated, listOfTargets } from "./annotation-groups.ts";
import type { Bucket } from "./calendar.ts";
import { filterOfGroup } from "./group-fields.ts";
import { type GroupLabels, labelled } from "./group-labels.ts";
import { IS_OCCURRENCE } from "./occurrence-groups.ts";
import type { Analytics } from "./schemas.ts";

/** A question as it was asked, and as the store gets it. */
export interface WireQuestion {
	readonly query: AnalyticsQuery;
	readonly measureNames: readonly string[];
	readonly groupNames: readonly string[];
	/** The name of the number that is spread. */
	readonly distributionOf: string | undefined;
	readonly bucket: Bucket | "none";
	readonly timeZone: string;
	/** An expression. */
	readonly filter: string | undefined;
	readonly words: string | undefined;
	/** By row number. */
	readonly projects: ReadonlyMap<number, { readonly id: string; readonly name: string }>;
}

type Wire = z.output<typeof Analytics>;

/** Numbers of what annotations are about, which stand behind the measures that were asked for. */
function targetCounts({ query, measureNames }: WireQuestion, { totals }: Cells): readonly (number | null)[] {
	return query.of === "annotations" ? totals.slice(measureNames.length) : [];
}

/** @param labels of the values of each group */
export function toWire(
	question: WireQuestion,
	answer: AnalyticsAnswer,
	{ tookMs, labels }: { readonly tookMs: number; readonly labels: readonly GroupLabels[] },
): Wire {
	const { query, measureNames, groupNames, bucket, timeZone, distributionOf = "" } = question;
	const { edges, of } = query;
	const cells = (found: ComparedCells) => ({
		...wireCells(found, measureNames),
		...(found.previous === undefined ? {} : { previous: wireCells(found.previous, measureNames) }),
	});
	const approximate = measureNames.filter((name, index) => {
		const measure = query.measures[index];
		if (measure?.type === "function") return measure.function === "p50" || measure.function === "p95";
		return MEASURES[of][name]?.isApproximate === true;
	});
	const { coveredMicros: covered, others } = answer;
	return {
		of,
		start_time: formatTime(edges[0] ?? 0),
		end_time: formatTime(edges.at(-1) ?? 0),
		time_zone: timeZone,
		bucket,
		buckets: edges
			.slice(0, -1)
			.map((start, index) => ({ start_time: formatTime(start), end_time: formatTime(edges[index + 1] ?? 0) })),
		series: answer.groups.map((found) => ({
			group: found.group.map((value, index) => wireValue(question, groupNames[index] ?? "", value, labels[index])),
			...cells(found),
			drill_down: drillDown(question, found.group, targetCounts(question, found)),
		})),
		others:
			others === undefined
				? null
				: { ...cells(others), groups: answer.groupCount - answer.groups.length, drill_down: null },
		all: { ...cells(answer.all), drill_down: drillDown(question, undefined, targetCounts(question, answer.all)) },
		groups_total: answer.groupCount,
		overlapping: answer.isOverlapping,
		is_partial: covered !== undefined || answer.isBehind === true,
		covered_start_time: covered === undefined ? null : formatTime(covered),
		approximate: [...approximate, ...(answer.tooManyDistinct.length > 0 ? ["too_many_distinct"] : [])],
		source: answer.source,
		...(answer.distribution === undefined || query.distribution === undefined
			? {}
			: { distribution: wireDistribution(distributionOf, query.distribution.scale, answer.distribution) }),
		took_ms: tookMs,
	};
}

function wireDistribution(of: string, scale: DistributionScale, { bins, totals, values }: SpreadNumbers) {
	return {
		of,
		scale,
		bins: [...bins],
		totals: [...totals],
		values: values.map((counts) => (counts === null ? null : [...counts])),
	};
}

function wireCells({ totals, values }: Cells, names: readonly string[]) {
	return {
		totals: Object.fromEntries(names.map((name, index) => [name, totals[index] ?? null])),
		values: Object.fromEntries(names.map((name, index) => [name, [...(values[index] ?? [])]])),
	};
}

function wireValue(
	{ projects }: Pick<WireQuestion, "projects">,
	field: string,
	value: GroupValue,
	labels: GroupLabels = new Map(),
) {
	if (field === "project") {
		const project = projects.get(Number(value));
		return { field, value: project?.id ?? null, label: project?.name ?? "" };
	}
	return { field, ...labelled(value, labels) };
}

/** The list that a drill-down leads to; undefined where there is none. */
function listOf(
	{ of }: AnalyticsQuery,
	targetCounts: readonly (number | null)[],
): NonNullable<Wire["all"]["drill_down"]>["of"] | undefined {
	if (of === "annotations") return listOfTargets(targetCounts);
	if (of === "errors") return "spans";
	return of === "ingest" || of === "spend" ? undefined : of;
}

/** @param group all rows when absent */
function drillDown(
	{ query, filter, words, projects, groupNames }: WireQuestion,
	group: readonly GroupValue[] | undefined,
	targetCounts: readonly (number | null)[],
): Wire["all"]["drill_down"] {
	const { groupBy, projectIds } = query;
	const of = listOf(query, targetCounts);
	// A filter of spans is none of traces and sessions.
	if (of === undefined || (query.of !== of && of !== "spans" && (filter ?? words) !== undefined)) return null;
	const named = group?.[groupNames.indexOf("project")];
	const project = projects.get(Number(named ?? (projectIds.length === 1 ? projectIds[0] : 0)));
	const ofGroup = group === undefined ? "" : filterOfGroup(of, groupBy, group);
	if (project === undefined || ofGroup === undefined) return null;
	const annotated = query.of === "annotations" ? filterOfAnnotated(of, query, group) : "";
	const failed = query.of === "errors" ? IS_OCCURRENCE : "";
	const parts = [filter === undefined ? "" : `(${filter})`, annotated, failed, ofGroup].filter((part) => part !== "");
	const error = of === "spans" ? "status_code == 'ERROR'" : "error_count > 0";
	return {
		of,
		project: project.id,
		filter: parts.length === 1 && filter !== undefined ? filter : parts.join(" and "),
		...(words === undefined ? {} : { q: words }),
		error_filter: [...parts, error].join(" and "),
	};
}

/** Groups, or the buckets of all rows where nothing is grouped; of a distribution the bins of each bucket. */
export function* toCsvLines(answer: Wire): Generator<(string | number | null)[]> {
	if (answer.distribution !== undefined) {
		yield* distributionLines(answer.buckets, answer.distribution);
		return;
	}
	const names = Object.keys(answer.all.totals);
	if (answer.series.length === 0 && answer.groups_total === 0) {
		yield ["start_time", "end_time", ...names];
		for (const [index, { start_time, end_time }] of answer.buckets.entries())
			yield [start_time, end_time, ...names.map((name) => answer.all.values[name]?.[index] ?? null)];
		return;
	}
	const fields = answer.series[0]?.group.map(({ field }) => field) ?? [];
	yield [...fields, ...names];
	for (const { group, totals } of answer.series)
		yield [
			...group.map(({ value, label }) => (value === null ? null : label)),
			...names.map((name) => totals[name] ?? null),
		];
}

function* distributionLines(
	buckets: Wire["buckets"],
	{ bins, values }: NonNullable<Wire["distribution"]>,
): Generator<(string | number | null)[]> {
	yield ["start_time", "end_time", "bin_start", "bin_end", "count"];
	for (const [bucket, { start_time, end_time }] of buckets.entries())
		for (const [bin, { start, end }] of bins.entries())
			yield [start_time, end_time, start, end, values[bucket]?.[bin] ?? null];
}

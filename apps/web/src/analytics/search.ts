import { isNamedRange } from "../lib/range-names.ts";
import { choiceParam, listParam, numberParam, present, textParam } from "../lib/search-params.ts";
import type { TimeRangeSearch } from "../lib/time-range.ts";
import {
	ANNOTATOR_KINDS,
	type AnalyticsQuery,
	type AnalyticsRows,
	type AnnotatorKind,
	type Bucket,
	type Chart,
	type ChartDisplay,
	type ChartKind,
	COMPARISONS,
	type Comparison,
} from "./chart.ts";

/** A chart in the address: the parameters of the question by their names, and how the answer is drawn. */
export interface ChartSearch {
	of?: AnalyticsRows;
	measure?: string[];
	group_by?: string[];
	filter?: string;
	q?: string;
	annotation_name?: string[];
	annotator_kind?: AnnotatorKind[];
	project?: string[];
	bucket?: Bucket;
	/** Absent: the zone that the page shows times in. */
	time_zone?: string;
	compare?: Comparison;
	sort?: string;
	limit?: number;
	/** Absent: a line. */
	chart?: (typeof LOOKS)[number];
	/** Of a histogram or heatmap. */
	distribution?: string;
	bins?: number;
	scale?: "log" | "linear";
	stacked?: "1";
	log?: "1";
}

/** Looks of charts, but for lines. */
const LOOKS = ["area", "bars", "bar", "number", "table", "histogram", "heatmap"] as const;

/** Longer addresses are refused by some servers and cut by some programs that people send them with. */
export const LONGEST_ADDRESS = 8_192;
/** All time, which is asked for as such: rows are older than every server. */
export const ALL_TIME = "1970-01-01T00:00:00.000Z";
const DEFAULT_RANGE = "7d";

/** What the server does not know, such as a measure of another version, stays: its error says what is wrong. */
export function parseChartSearch(search: Record<string, unknown>): ChartSearch {
	const name = (value: unknown) => textParam(value)?.slice(0, 100);
	return present({
		of: name(search["of"]) as AnalyticsRows | undefined,
		measure: listParam(search["measure"]),
		group_by: listParam(search["group_by"]),
		filter: textParam(search["filter"]),
		q: textParam(search["q"]),
		annotation_name: listParam(search["annotation_name"]),
		annotator_kind: listParam(search["annotator_kind"])?.filter(isAnnotatorKind),
		project: listParam(search["project"]),
		bucket: name(search["bucket"]) as Bucket | undefined,
		time_zone: name(search["time_zone"]),
		compare: choiceParam(search["compare"], COMPARISONS),
		sort: textParam(search["sort"]),
		limit: numberParam(search["limit"]),
		chart: choiceParam(search["chart"], LOOKS),
		distribution: textParam(search["distribution"]),
		bins: numberParam(search["bins"]),
		scale: choiceParam(search["scale"], ["log", "linear"]),
		stacked: choiceParam(search["stacked"], ["1"]),
		log: choiceParam(search["log"], ["1"]),
	});
}

/** The chart of an address. */
export function toChart(search: ChartSearch & TimeRangeSearch, standardRange = DEFAULT_RANGE): Chart {
	const { from, to, of = "spans", measure, group_by, filter, q, project, bucket, compare, sort, limit } = search;
	const { distribution, bins, scale, annotation_name, annotator_kind, time_zone } = search;
	const { kind, style } = lookOf(search.chart);
	return {
		kind,
		query: present({
			...{ of, measure, group_by, filter, q, project, bucket, compare, sort, limit },
			...{ distribution, bins, scale, annotation_name, annotator_kind, time_zone },
			...toRange({ ...(from ? { from } : {}), ...(to ? { to } : {}) }, standardRange),
		}) as AnalyticsQuery,
		display: present({
			style,
			stacked: search.stacked === "1" ? true : undefined,
			log_scale: search.log === "1" ? true : undefined,
		}),
	};
}

/** The address of a chart; the opposite of {@link toChart}. */
export function toChartSearch({ kind, query, display }: Chart): ChartSearch & TimeRangeSearch {
	const { of, measure, group_by, filter, q, project, bucket, compare, sort, limit } = query;
	const { distribution, bins, scale, annotation_name, annotator_kind, time_zone } = query;
	const look = kind === "time_series" ? display.style : kind;
	return present({
		...{ of, filter, q, bucket, time_zone, compare, sort, limit, distribution, bins, scale },
		measure: measure && [...measure],
		group_by: group_by && [...group_by],
		project: project && [...project],
		annotation_name: annotation_name && [...annotation_name],
		annotator_kind: annotator_kind && [...annotator_kind],
		chart: look === "line" ? undefined : look,
		stacked: display.stacked ? ("1" as const) : undefined,
		log: display.log_scale ? ("1" as const) : undefined,
		...fromRange(query),
	});
}

function lookOf(chart: ChartSearch["chart"]): { kind: ChartKind; style?: ChartDisplay["style"] } {
	if (chart === undefined) return { kind: "time_series" };
	return chart === "area" || chart === "bars" ? { kind: "time_series", style: chart } : { kind: chart };
}

type QueryRange = Pick<AnalyticsQuery, "range" | "start_time" | "end_time">;

/** A range of the address as the question has it. */
export function toRange({ from, to }: TimeRangeSearch, standard = DEFAULT_RANGE): QueryRange {
	const start = from ?? standard;
	if (start === "all") return { start_time: ALL_TIME, ...(to ? { end_time: to } : {}) };
	if (to === undefined && (isNamedRange(start) || /^\d+[mhd]$/.test(start))) return { range: start };
	return { start_time: start, ...(to ? { end_time: to } : {}) };
}

export function fromRange({ range, start_time, end_time }: QueryRange): TimeRangeSearch {
	const from = range ?? (start_time === ALL_TIME ? "all" : start_time);
	return present({ from, to: end_time });
}

function isAnnotatorKind(text: string): text is AnnotatorKind {
	return (ANNOTATOR_KINDS as readonly string[]).includes(text);
}

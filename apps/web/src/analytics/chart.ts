import type { Analytics } from "@spanward/client";

/** Rows that questions are about. */
export type AnalyticsRows = Analytics["of"];
export const ANNOTATOR_KINDS = ["HUMAN", "LLM", "CODE", "AGENT", "DECISION"] as const;
export type AnnotatorKind = (typeof ANNOTATOR_KINDS)[number];
export type Bucket = Analytics["bucket"] | "auto";

export const COMPARISONS = ["previous_period", "previous_day", "previous_week", "previous_month"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A question: the parameters of `GET /v1/analytics` as JSON. Absent ones have the server's defaults. */
export interface AnalyticsQuery {
	readonly of: AnalyticsRows;
	readonly measure?: readonly string[];
	readonly group_by?: readonly string[];
	/** An expression of the filter language, or words. */
	readonly filter?: string;
	/** Words beside an expression. */
	readonly q?: string;
	/** Of annotations. */
	readonly annotation_name?: readonly string[];
	readonly annotator_kind?: readonly AnnotatorKind[];
	/** Names of projects, where the question is about several. */
	readonly project?: readonly string[];
	readonly range?: string;
	readonly start_time?: string;
	readonly end_time?: string;
	readonly bucket?: Bucket;
	/** Absent: the zone that the page shows times in. */
	readonly time_zone?: string;
	readonly compare?: Comparison;
	readonly sort?: string;
	readonly limit?: number;
	/** A number whose spread is asked for, instead of measures and groups. */
	readonly distribution?: string;
	readonly bins?: number;
	readonly scale?: "log" | "linear";
}

/** What an answer is drawn as. */
export const CHART_KINDS = ["time_series", "bar", "number", "table", "histogram", "heatmap"] as const;
export type ChartKind = (typeof CHART_KINDS)[number];

export interface Threshold {
	readonly value: number;
	readonly color: "warning" | "danger";
}

/** How numbers are written. Absent members are as it fits the measure. */
export interface NumberForm {
	/** Stands behind numbers, in place of the unit of the measure. */
	readonly unit?: string;
	readonly decimals?: number;
}

/** How an answer is drawn. Absent members have the look that fits the measure. */
export interface ChartDisplay extends NumberForm {
	/** Of a time series. */
	readonly style?: "line" | "area" | "bars";
	/** Groups on top of each other, where their sum means something. */
	readonly stacked?: boolean;
	readonly log_scale?: boolean;
	readonly thresholds?: readonly Threshold[];
	/** False: no legend. */
	readonly legend?: boolean;
}

/** A question and how its answer is drawn: what the address of Explore holds, and a widget of a dashboard. */
export interface Chart {
	readonly kind: ChartKind;
	readonly query: AnalyticsQuery;
	readonly display: ChartDisplay;
}

/** The measures that a question has. */
export function measuresOf({ of, measure }: AnalyticsQuery): readonly string[] {
	return measure !== undefined && measure.length > 0 ? measure : [firstMeasure(of)];
}

/** The measure of these rows where a question says nothing. */
export function firstMeasure(of: AnalyticsRows): string {
	return FIRST_MEASURES[of] ?? "count";
}

/** What the server counts where a question says nothing, of rows that have no number. */
const FIRST_MEASURES: Readonly<Record<string, string | undefined>> = {
	spend: "cost_total",
	ingest: "accepted_spans",
};

/** What was spent is kept by quarters of an hour, and of no single span. */
export function isLedger(of: AnalyticsRows): boolean {
	return of === "spend";
}

/** Of groups, where a question says nothing. */
export const DEFAULT_LIMIT = 20;

/** The number whose spread is shown, where a question says nothing. */
export function standardDistribution(of: AnalyticsRows): string {
	if (of === "annotations") return "score";
	return of === "sessions" ? "duration_ms" : "latency_ms";
}

/** The question that a chart asks: of what it draws and no more. */
export function askedQuery({ kind, query }: Chart): AnalyticsQuery {
	const { bucket, distribution, bins: _bins, scale: _scale, ...rest } = query;
	if (kind === "histogram" || kind === "heatmap") {
		const { measure: _measure, group_by: _groups, sort: _sort, limit: _limit, compare: _compare, ...spread } = query;
		const { bucket: _bucket, ...whole } = spread;
		const asked = { ...whole, distribution: distribution ?? standardDistribution(query.of) };
		return kind === "heatmap" ? { ...asked, bucket: bucket ?? "auto" } : asked;
	}
	if (kind === "time_series" || kind === "number") return { ...rest, bucket: bucket ?? "auto" };
	const isGrouped = (query.group_by?.length ?? 0) > 0;
	return isGrouped || bucket === undefined ? rest : { ...rest, bucket };
}

import type { Analytics } from "@spanward/client";
import { type ReactNode, Suspense } from "react";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { AnswerTable } from "./answer-table.tsx";
import { BarChart } from "./bar-chart.tsx";
import type { AnalyticsQuery, AnalyticsRows, Chart } from "./chart.ts";
import { NumberTiles } from "./number-tiles.tsx";
import { TimeSeries, type TimeSeriesProps } from "./time-series.tsx";

const SpreadChart = lazyPart(() => import("./spread-chart.tsx"), "SpreadChart");

export interface AnswerChartProps extends Omit<TimeSeriesProps, "display"> {
	readonly chart: Chart;
	/** Its name in addresses; undefined where the answer is about several. */
	readonly project: string | undefined;
}

/** An answer in the look of its chart. Its notes are beside it: `AnswerNotes`. */
export function AnswerChart({ answer, chart, project, ...shared }: AnswerChartProps): ReactNode {
	const { links, height, sync, onZoom } = shared;
	const { distribution } = answer;
	if (hasNoRows(answer, chart.query)) return <NoRows of={answer.of} />;
	// While the answer to another look is on its way, the one before stays.
	if (distribution !== undefined) {
		const spread = { answer, distribution, display: chart.display, project, height, sync, onZoom };
		return (
			<Suspense fallback={<div className="skeleton" style={{ height }} />}>
				<SpreadChart isHeatmap={chart.kind === "heatmap"} {...spread} />
			</Suspense>
		);
	}
	switch (chart.kind) {
		case "histogram":
		case "heatmap":
		case "time_series":
			return <TimeSeries answer={answer} display={chart.display} {...shared} />;
		case "bar":
			return <BarChart answer={answer} display={chart.display} links={links} />;
		case "number":
			return <NumberTiles answer={answer} display={chart.display} links={links} />;
		case "table":
			return <AnswerTable answer={answer} display={chart.display} links={links} sort={chart.query.sort} />;
	}
}

/** Whether no row was found, neither now nor in the time that is compared. Sums of nothing are 0, like those of zeros. */
export function hasNoRows({ all, is_partial, groups_total }: Analytics, { group_by = [] }: AnalyticsQuery): boolean {
	if (is_partial) return false;
	if (group_by.length > 0) return groups_total === 0;
	const totals = [all.totals, ...(all.previous ? [all.previous.totals] : [])];
	return totals.every((each) => each["count"] === 0 || Object.values(each).every((value) => value === null));
}

/** Says what would stand here, and how it comes. */
export function NoRows({ of }: { of: AnalyticsRows }): ReactNode {
	const known: Readonly<Record<string, string | undefined>> = {
		annotations: TEXTS.noAnnotationsText,
		errors: TEXTS.noErrorsText,
		spend: TEXTS.noSpendText,
	};
	return <EmptyState title={TEXTS.noData} text={known[of] ?? TEXTS.noDataText} />;
}

import type { Analytics } from "@spanward/client";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import type { Cell } from "./cell-links.ts";
import type { ChartDisplay } from "./chart.ts";
import { type GroupColors, measureColor, REST_COLOR } from "./colors.ts";
import { groupKey, groupLabel } from "./groups.ts";
import { isAdditive, isBadNews, measureLabel, unitOf } from "./measures.ts";
import type { ChartLine } from "./plot.ts";

/** Lines that share a canvas: their values have one unit. */
export interface Panel {
	readonly measures: readonly string[];
	readonly title: string;
	readonly lines: readonly ChartLine[];
	/** What each of the lines is of, in their order. */
	readonly cells: readonly Cell[];
	readonly style: NonNullable<ChartDisplay["style"]>;
	readonly isStacked: boolean;
}

type Compared = Pick<Analytics["all"], "totals" | "values" | "previous">;

export function isGrouped(answer: Analytics): boolean {
	return answer.series.length > 0 || answer.groups_total > 0;
}

/** Whether the parts of a chart of a measure may stand on top of each other. */
export function isStackable(measure: string, isOverlapping: boolean): boolean {
	return isAdditive(measure) && !isOverlapping;
}

/** The charts of an answer: one a measure where it is grouped, else one a unit. */
export function panelsOf(answer: Analytics, display: ChartDisplay, colors: GroupColors): Panel[] {
	const names = Object.keys(answer.all.totals);
	if (isGrouped(answer)) return names.map((measure) => groupPanel(answer, measure, display, colors));
	const isApart = display.style === "bars" && display.stacked !== true;
	const keys = [...new Set(names.map((measure) => (isApart ? measure : unitOf(measure))))];
	return keys.map((key) => {
		const measures = names.filter((measure) => (isApart ? measure : unitOf(measure)) === key);
		return measurePanel(answer, measures, display, names);
	});
}

function groupPanel(answer: Analytics, measure: string, display: ChartDisplay, colors: GroupColors): Panel {
	const { series, others, overlapping, of } = answer;
	const shown = series.map((each) => {
		const key = groupKey(each.group);
		return toLine(each, measure, { key, label: groupLabel(each.group), color: colors.of(key) });
	});
	const rest =
		others === null
			? []
			: [toLine(others, measure, { key: "others", label: TEXTS.others(others.groups), color: REST_COLOR })];
	const lines = [...shown, ...rest];
	return {
		measures: [measure],
		title: measureLabel(measure, of),
		lines,
		cells: [
			...series.map((_, index) => ({ series: index, measure })),
			...(others === null ? [] : [{ series: "others" as const, measure }]),
		],
		...lookOf(lines, display, isStackable(measure, overlapping)),
	};
}

function measurePanel(
	answer: Analytics,
	measures: readonly string[],
	display: ChartDisplay,
	all: readonly string[],
): Panel {
	const lines = measures.map((measure) =>
		toLine(answer.all, measure, {
			key: measure,
			label: measureLabel(measure, answer.of),
			color: isBadNews(measure) ? "danger" : measureColor(all.indexOf(measure)),
		}),
	);
	return {
		measures,
		title: lines.map(({ label }) => label).join(", "),
		lines,
		cells: measures.map((measure) => ({ series: "all", measure })),
		...lookOf(lines, display, measures.every(isAdditive)),
	};
}

/** Bars of several lines only stand on top of each other; where they cannot be added up, lines are drawn. */
function lookOf(
	lines: readonly ChartLine[],
	{ style = "line", stacked = false, log_scale = false }: ChartDisplay,
	isStackable: boolean,
): Pick<Panel, "style" | "isStacked"> {
	if (lines.length < 2) return { style, isStacked: false };
	const isStacked = isStackable && !log_scale && (stacked || style === "bars");
	return { style: style === "bars" && !isStacked ? "line" : style, isStacked };
}

function toLine(
	{ totals, values, previous }: Compared,
	measure: string,
	look: Pick<ChartLine, "key" | "label" | "color">,
): ChartLine {
	return {
		...look,
		values: values[measure] ?? [],
		previous: previous?.values[measure],
		total: totals[measure] ?? null,
	};
}

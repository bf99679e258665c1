import type { Analytics } from "@spanward/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { bucketTimes } from "./bucket-times.ts";
import type { CellLinks } from "./cell-links.ts";
import type { ChartDisplay } from "./chart.ts";
import { useGroupColors } from "./colors.ts";
import { formatOf, isAdditive } from "./measures.ts";
import { type Panel, panelsOf } from "./panels.ts";
import type { ChartLine, Drawing } from "./plot.ts";
import { Swatch } from "./swatch.tsx";
import { TimeSeriesChart } from "./time-series-chart.tsx";

export interface TimeSeriesProps {
	readonly answer: Analytics;
	readonly display: ChartDisplay;
	readonly links: CellLinks;
	/** Of all its charts together, in pixels. */
	readonly height: number;
	/** Charts with the same name show the same moment under the pointer. */
	readonly sync: string;
	readonly onZoom?: ((from: number, to: number) => void) | undefined;
	/** Whether it has one chart and a heading of its own above it. */
	readonly isTitled?: boolean;
}

const LEAST_HEIGHT = 150;
const HEADING = 24;

/** The buckets of an answer over time: a chart for each measure or unit. */
export function TimeSeries({
	answer,
	display,
	links,
	height,
	sync,
	onZoom,
	isTitled = false,
}: TimeSeriesProps): ReactNode {
	const colors = useGroupColors();
	const panels = useMemo(() => panelsOf(answer, display, colors), [answer, display, colors]);
	const each = Math.max(LEAST_HEIGHT, Math.floor(height / panels.length) - (panels.length > 1 ? HEADING : 0));
	return (
		<div className="flex min-w-0 flex-col gap-3">
			{panels.map((panel) => (
				<PanelChart
					key={panel.measures.join()}
					{...{ answer, display, panel, links, sync, onZoom }}
					height={each}
					hasTitle={panels.length > 1 || !isTitled}
				/>
			))}
		</div>
	);
}

function PanelChart({
	answer,
	display,
	panel,
	links,
	height,
	sync,
	onZoom,
	hasTitle,
}: Omit<TimeSeriesProps, "isTitled"> & { panel: Panel; hasTitle: boolean }): ReactNode {
	const navigate = useNavigate();
	const { lines, cells, measures, title } = panel;
	const [measure = "count"] = measures;
	const drawing = useMemo(
		(): Drawing => ({
			times: bucketTimes(answer),
			lines: panel.lines,
			style: panel.style,
			isStacked: panel.isStacked,
			isLog: display.log_scale === true,
			thresholds: display.thresholds ?? [],
			covered: answer.covered_start_time === null ? undefined : Date.parse(answer.covered_start_time),
			format: formatOf(measure, display),
			zone: answer.time_zone,
		}),
		[answer, panel, display, measure],
	);
	const linkOf = (line: number, bucket?: number) => {
		const cell = cells[line];
		return cell && links({ ...cell, ...(bucket === undefined ? {} : { bucket }) });
	};
	return (
		<section aria-label={title} className="min-w-0">
			{hasTitle && (
				<h3 className="mb-1 flex gap-2">
					<span className="font-semibold">{title}</span>
					{measures.every(isAdditive) && <span className="text-muted">{TEXTS.perBucket[answer.bucket]}</span>}
				</h3>
			)}
			<TimeSeriesChart
				label={TEXTS.chartLabel(title, formatTime(answer.start_time), formatTime(answer.end_time))}
				{...{ drawing, height, sync, onZoom }}
				onOpen={(line, bucket) => {
					const link = linkOf(line, bucket);
					if (link) void navigate(link);
				}}
			/>
			<Summary lines={lines} drawing={drawing} />
			{lines.length > 1 && display.legend !== false && (
				<ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 pl-9 text-sm">
					{lines.map((line, index) => {
						const link = linkOf(index);
						return (
							<li key={line.key} className="flex min-w-0 max-w-64 items-center gap-1.5">
								<Swatch color={line.color} />
								{link ? (
									<Link {...link} title={line.label} className="truncate hover:text-accent hover:underline">
										{line.label}
									</Link>
								) : (
									<span title={line.label} className="truncate">
										{line.label}
									</span>
								)}
							</li>
						);
					})}
				</ul>
			)}
		</section>
	);
}

/** The chart in words. */
function Summary({ lines, drawing }: { lines: readonly ChartLine[]; drawing: Drawing }): ReactNode {
	const { format, times } = drawing;
	return (
		<ul className="sr-only">
			{lines.map(({ key, label, values, total }) => {
				const most = Math.max(...values.filter((value) => value !== null));
				if (total === null || !Number.isFinite(most)) return <li key={key}>{TEXTS.noValues(label)}</li>;
				const when = formatTime(times.starts[values.indexOf(most)]);
				return <li key={key}>{TEXTS.summary(label, format(total), format(most), when)}</li>;
			})}
		</ul>
	);
}

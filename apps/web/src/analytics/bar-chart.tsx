import type { Analytics } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { classNames } from "../ui/class-names.ts";
import type { CellLinks } from "./cell-links.ts";
import { Change } from "./change.tsx";
import type { ChartDisplay } from "./chart.ts";
import { REST_COLOR, useGroupColors } from "./colors.ts";
import { groupKey, groupLabel } from "./groups.ts";
import { formatExactly, formatOf, measureLabel } from "./measures.ts";
import { isGrouped } from "./panels.ts";
import { thresholdTone } from "./thresholds.ts";

interface Bar {
	readonly key: string;
	readonly label: string;
	readonly color: string;
	readonly value: number | null;
	readonly before: number | null | undefined;
	readonly cell: Parameters<CellLinks>[0];
}

interface BarChartProps {
	readonly answer: Analytics;
	readonly display: ChartDisplay;
	readonly links: CellLinks;
}

/** The groups of an answer as bars, for each measure; the longest is the largest. */
export function BarChart({ answer, display, links }: BarChartProps): ReactNode {
	const measures = Object.keys(answer.all.totals);
	return (
		<div className="flex flex-col gap-4">
			{measures.map((measure) => (
				<section key={measure} aria-label={measureLabel(measure, answer.of)}>
					{measures.length > 1 && <h3 className="mb-1 font-semibold">{measureLabel(measure, answer.of)}</h3>}
					<Bars {...{ answer, display, measure, links }} />
				</section>
			))}
		</div>
	);
}

function Bars({ answer, display, measure, links }: BarChartProps & { readonly measure: string }): ReactNode {
	const bars = useBars(answer, measure);
	const most = Math.max(0, ...bars.flatMap(({ value, before }) => [value ?? 0, before ?? 0]));
	const width = (value: number | null | undefined) => `${most > 0 ? (100 * Math.max(0, value ?? 0)) / most : 0}%`;
	return (
		<ol className="grid grid-cols-[minmax(5rem,14rem)_minmax(2rem,1fr)_auto] items-center gap-x-3 gap-y-1">
			{bars.map(({ key, label, color, value, before, cell }) => {
				const link = links(cell);
				return (
					<li key={key} className="col-span-3 grid grid-cols-subgrid items-center">
						<span title={label} className="min-w-0 truncate">
							{link ? (
								<Link {...link} className="hover:text-accent hover:underline">
									{label}
								</Link>
							) : (
								label
							)}
						</span>
						<span aria-hidden className="relative h-5 min-w-0">
							<span
								className="absolute inset-y-0 left-0 rounded-r-[2px]"
								style={{ width: width(value), background: `var(--${color})` }}
							/>
							{typeof before === "number" && (
								<span
									className="absolute inset-y-0 border-ink border-r-2 border-dashed"
									style={{ width: width(before) }}
								/>
							)}
						</span>
						<span
							title={formatExactly(measure, value)}
							className={classNames("whitespace-nowrap text-right", thresholdTone(display.thresholds, value))}
						>
							{formatOf(measure, display)(value)}{" "}
							<Change measure={measure} now={value} before={before} form={display} />
						</span>
					</li>
				);
			})}
		</ol>
	);
}

function useBars(answer: Analytics, measure: string): Bar[] {
	const colors = useGroupColors();
	const { series, others, all } = answer;
	if (!isGrouped(answer)) {
		const { totals, previous } = all;
		return [
			{
				...{ key: "all", label: TEXTS.all, color: "series-1", cell: { series: "all", measure } },
				...{ value: totals[measure] ?? null, before: previous?.totals[measure] },
			},
		];
	}
	return [
		...series.map(({ group, totals, previous }, index): Bar => {
			const key = groupKey(group);
			return {
				...{ key, label: groupLabel(group), color: colors.of(key), cell: { series: index, measure } },
				...{ value: totals[measure] ?? null, before: previous?.totals[measure] },
			};
		}),
		...(others === null
			? []
			: [
					{
						...{ key: "others", label: TEXTS.others(others.groups), color: REST_COLOR },
						cell: { series: "others" as const, measure },
						...{ value: others.totals[measure] ?? null, before: others.previous?.totals[measure] },
					},
				]),
	];
}

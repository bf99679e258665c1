import type { Analytics } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { classNames } from "../ui/class-names.ts";
import { Sparkline } from "../ui/sparkline.tsx";
import type { CellLinks } from "./cell-links.ts";
import { Change } from "./change.tsx";
import type { ChartDisplay } from "./chart.ts";
import { formatExactly, formatOf, measureLabel } from "./measures.ts";
import { thresholdTone } from "./thresholds.ts";

/** The measures of all rows as large numbers, with what has changed since the time before. */
export function NumberTiles({
	answer,
	display,
	links,
}: {
	answer: Analytics;
	display: ChartDisplay;
	links: CellLinks;
}): ReactNode {
	const { totals, values, previous } = answer.all;
	return (
		<dl className="flex flex-wrap gap-x-10 gap-y-4">
			{Object.keys(totals).map((measure) => {
				const value = totals[measure];
				const before = previous?.totals[measure];
				const link = links({ series: "all", measure });
				const text = formatOf(measure, display)(value);
				const label = measureLabel(measure, answer.of);
				const series = values[measure] ?? [];
				return (
					<div key={measure} className="min-w-32">
						<dt className="text-muted">{label}</dt>
						<dd className="flex flex-wrap items-baseline gap-x-2">
							<span
								title={formatExactly(measure, value)}
								className={classNames("font-semibold text-3xl leading-10", thresholdTone(display.thresholds, value))}
							>
								{link ? (
									<Link {...link} className="hover:text-accent hover:underline">
										{text}
									</Link>
								) : (
									text
								)}
							</span>
							<Change measure={measure} now={value} before={before} form={display} />
						</dd>
						{series.length > 1 && (
							<dd className="mt-1 w-40">
								<Sparkline label={`${label}: ${text}`} values={series.map((each) => each ?? 0)} />
							</dd>
						)}
					</div>
				);
			})}
		</dl>
	);
}

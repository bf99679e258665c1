import type { Analytics } from "@spanward/client";
import { Link } from "@tanstack/react-router";
import type { KeyboardEvent, ReactNode } from "react";
import { formatInteger } from "../lib/format.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import type { NumberForm } from "./chart.ts";
import { binLink, type Distribution } from "./distribution.ts";
import { formatNumberOf } from "./measures.ts";

export interface HistogramProps {
	readonly answer: Analytics;
	readonly distribution: Distribution;
	/** How numbers are written. */
	readonly display: NumberForm;
	/** Its name in addresses; undefined where the answer is about several. */
	readonly project: string | undefined;
	readonly height: number;
}

/** How a number is spread: a bar for each bin, which leads to its rows. */
export function Histogram({ answer, distribution, display, project, height }: HistogramProps): ReactNode {
	const { of, bins, totals } = distribution;
	const format = formatNumberOf(of, display);
	const most = Math.max(1, ...totals);
	const marks = [0, 0.25, 0.5, 0.75].map((share) => Math.floor(bins.length * share));
	return (
		<div className="min-w-0">
			<p className="mb-1 text-muted text-sm">{TEXTS.binMost(formatInteger(most))}</p>
			<ul
				aria-label={TEXTS.distributionOf(of)}
				onKeyDown={goToBar}
				className="flex items-end gap-px border-line border-b"
				style={{ height }}
			>
				{bins.map(({ start, end }, bin) => {
					const count = totals[bin] ?? 0;
					const label = TEXTS.bin(format(start), format(end), formatInteger(count));
					const link = count > 0 ? binLink(answer, project, bin) : undefined;
					const bar = (
						<span
							aria-hidden
							className="block w-full rounded-t-[2px] bg-accent group-hover:bg-accent-strong"
							style={{ height: count === 0 ? 0 : Math.max(2, (count / most) * height) }}
						/>
					);
					return (
						<li key={start} title={label} className="group flex h-full min-w-0 flex-1 items-end">
							{link ? (
								<Link
									{...link}
									aria-label={label}
									tabIndex={bin === totals.findIndex((each) => each > 0) ? 0 : -1}
									className="flex h-full w-full items-end"
								>
									{bar}
								</Link>
							) : (
								<>
									{bar}
									<span className="sr-only">{label}</span>
								</>
							)}
						</li>
					);
				})}
			</ul>
			<div aria-hidden className="relative h-5 text-muted text-sm">
				{marks.map((bin) => (
					<span key={bin} className="absolute" style={{ left: `${(100 * bin) / Math.max(1, bins.length)}%` }}>
						{bins[bin] && format(bins[bin].start)}
					</span>
				))}
				<span className="absolute right-0">{bins.length > 0 && format(bins.at(-1)?.end ?? 0)}</span>
			</div>
		</div>
	);
}

function goToBar(event: KeyboardEvent<HTMLElement>): void {
	const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
	if (step === 0) return;
	const bars = [...event.currentTarget.querySelectorAll("a")];
	const at = bars.findIndex((bar) => bar.contains(document.activeElement));
	bars[Math.max(0, Math.min(bars.length - 1, at + step))]?.focus();
	event.preventDefault();
	event.stopPropagation();
}

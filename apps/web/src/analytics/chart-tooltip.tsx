import type { ReactNode } from "react";
import { UNKNOWN } from "../lib/format.ts";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { classNames } from "../ui/class-names.ts";
import type { Drawing } from "./plot.ts";
import { Swatch } from "./swatch.tsx";

/** A point of a chart that the pointer or the keys are at. */
export interface Pointed {
	readonly bucket: number;
	/** The nearest line; undefined where none has a value. */
	readonly line: number | undefined;
	/** Pixels from the left of the chart. */
	readonly left: number;
	/** Of the chart, in pixels. */
	readonly width: number;
}

const MOST_LINES = 12;

/** The values of all lines at one bucket, beside the pointer. */
export function ChartTooltip({ drawing, pointed }: { drawing: Drawing; pointed: Pointed }): ReactNode {
	const { lines, times, format } = drawing;
	const { bucket, line: nearest, left, width } = pointed;
	const value = (values: readonly (number | null)[] | undefined) => {
		const found = values?.[bucket];
		return typeof found === "number" ? format(found) : UNKNOWN;
	};
	const known = [...lines.keys()].filter((at) => typeof lines[at]?.values[bucket] === "number");
	const shown = (known.length === 0 ? [...lines.keys()] : known)
		.toSorted((a, b) => (lines[b]?.values[bucket] ?? 0) - (lines[a]?.values[bucket] ?? 0))
		.slice(0, MOST_LINES);
	const hasBefore = lines.some(({ previous }) => previous !== undefined);
	return (
		<div
			aria-hidden
			data-chart-tooltip
			className="popup-surface pointer-events-none absolute top-1 z-20 max-w-72 px-2 py-1.5 text-sm"
			style={left > width / 2 ? { right: width - left + 12 } : { left: left + 12 }}
		>
			<p className="whitespace-nowrap text-muted">
				{formatTime(times.starts[bucket])} – {formatTime(times.ends[bucket])}
			</p>
			<table>
				<tbody>
					{shown.map((at) => (
						<tr key={lines[at]?.key} className={classNames(at === nearest && "font-semibold")}>
							<td className="flex max-w-40 items-center gap-1.5 pr-3">
								<Swatch color={lines[at]?.color ?? ""} />
								<span className="truncate">{lines[at]?.label}</span>
							</td>
							<td className="text-right">{value(lines[at]?.values)}</td>
							{hasBefore && <td className="pl-3 text-right text-muted">{value(lines[at]?.previous)}</td>}
						</tr>
					))}
				</tbody>
			</table>
			{known.length > shown.length && <p className="text-muted">{TEXTS.others(known.length - shown.length)}</p>}
		</div>
	);
}

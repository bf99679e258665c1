import type { ErrorGroupDetail } from "@spanward/client";
import type { ReactNode } from "react";
import { formatInteger } from "../../lib/format.ts";
import { formatTime } from "../../lib/time.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { GroupPart } from "./group-part.tsx";

const WIDTH = 600;
const HEIGHT = 80;
const GAP = 1.5;
const OTHERS = "var(--series-8)";

interface Layer {
	readonly label: string;
	readonly color: string;
	readonly counts: readonly number[];
}

/** Occurrences over time, the newest to the right, one bar above the other by release. */
export function ReleaseChart({ group }: { group: ErrorGroupDetail }): ReactNode {
	const { timeline, count } = group;
	const from = formatTime(timeline.start_times[0]);
	const to = formatTime(timeline.end_time);
	return (
		<GroupPart title={TEXTS.overTime}>
			{count === 0 ? (
				<p className="text-muted">{TEXTS.noneInRange}</p>
			) : (
				<>
					<Bars layers={layersOf(timeline)} label={TEXTS.overTimeText(count, from, to)} starts={timeline.start_times} />
					<p aria-hidden className="flex justify-between text-muted text-xs">
						<span>{from}</span>
						<span>{to}</span>
					</p>
					<Legend layers={layersOf(timeline)} />
				</>
			)}
		</GroupPart>
	);
}

function layersOf({ series, others }: ErrorGroupDetail["timeline"]): Layer[] {
	const shown = series.map(({ release, counts }, index) => ({
		label: release ?? TEXTS.noRelease,
		color: `var(--series-${index + 1})`,
		counts,
	}));
	return others === null ? shown : [...shown, { label: TEXTS.otherReleases, color: OTHERS, counts: others }];
}

function Bars({
	layers,
	label,
	starts,
}: {
	layers: readonly Layer[];
	label: string;
	starts: readonly string[];
}): ReactNode {
	const totals = starts.map((_, part) => layers.reduce((sum, { counts }) => sum + (counts[part] ?? 0), 0));
	const highest = Math.max(1, ...totals);
	const step = WIDTH / starts.length;
	return (
		<svg
			role="img"
			aria-label={label}
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			preserveAspectRatio="none"
			className="block h-20 w-full"
		>
			{starts.map((start, part) => (
				<g key={start}>
					<title>{`${formatTime(start)}: ${formatInteger(totals[part])}`}</title>
					{stacked(layers, part).map(({ color, below, count }) => (
						<rect
							key={color}
							x={part * step}
							width={step - GAP}
							y={HEIGHT - ((below + count) / highest) * HEIGHT}
							height={(count / highest) * HEIGHT}
							fill={color}
						/>
					))}
				</g>
			))}
			<path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} className="stroke-line" vectorEffect="non-scaling-stroke" />
		</svg>
	);
}

function stacked(layers: readonly Layer[], part: number) {
	let below = 0;
	return layers.flatMap(({ color, counts }) => {
		const count = counts[part] ?? 0;
		const bar = { color, below, count };
		below += count;
		return count === 0 ? [] : [bar];
	});
}

function Legend({ layers }: { layers: readonly Layer[] }): ReactNode {
	return (
		<ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
			{layers.map(({ label, color, counts }) => (
				<li key={color} className="flex min-w-0 items-center gap-1.5">
					<span aria-hidden className="size-2.5 shrink-0 rounded-xs" style={{ background: color }} />
					<span className="truncate">{label}</span>
					<span className="text-muted">{formatInteger(counts.reduce((sum, count) => sum + count, 0))}</span>
				</li>
			))}
		</ul>
	);
}

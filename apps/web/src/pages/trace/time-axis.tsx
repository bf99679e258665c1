import { type ReactNode, useRef } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { SplitHandle } from "../../ui/split-handle.tsx";
import { BAR_CELL, GRID, HEAD_HEIGHT, NUMBER_CELL } from "./tree-columns.ts";
import { formatTick, type Tick } from "./waterfall.ts";

export interface TimeAxisProps {
	readonly ticks: readonly Tick[];
	/** Share of the tree's width that bars have, 0–1. */
	readonly barShare: number;
	readonly onBarShare: (share: number) => void;
}

const LEAST_BAR_SHARE = 0.15;
const MOST_BAR_SHARE = 0.7;

/** The header of the tree: column names, the times of the ticks, and the handle that sets the width of the names. */
export function TimeAxis({ ticks, barShare, onBarShare }: TimeAxisProps): ReactNode {
	const bars = useRef<HTMLDivElement>(null);
	const shareAt = (clientX: number) => {
		const cell = bars.current?.getBoundingClientRect();
		const head = bars.current?.parentElement?.getBoundingClientRect();
		return cell && head && (cell.right - clientX) / head.width;
	};
	const step = (ticks[1]?.offsetMicros ?? 0) - (ticks[0]?.offsetMicros ?? 0);
	return (
		<div
			style={{ height: HEAD_HEIGHT }}
			className={classNames(
				GRID,
				"sticky top-0 z-10 items-center gap-x-2 border-line border-b bg-canvas px-2 text-muted text-sm",
			)}
		>
			<span aria-hidden>{texts.column.name}</span>
			<div ref={bars} data-times="shown" className={classNames(BAR_CELL, "relative h-full")}>
				<SplitHandle
					label={texts.nameWidth}
					share={barShare}
					least={LEAST_BAR_SHARE}
					most={MOST_BAR_SHARE}
					onShare={onBarShare}
					shareAt={shareAt}
					className="absolute inset-y-1 -left-1.5 w-px bg-line"
				/>
				{/* A label at the right end would overlap the previous one, or overflow the column. */}
				{ticks
					.filter((tick) => tick.at < 0.9)
					.map((tick, index) => (
						<span
							key={tick.offsetMicros}
							aria-hidden
							style={{ left: `${tick.at * 100}%` }}
							className={classNames("absolute top-1.5 whitespace-nowrap text-xs", index > 0 && "-translate-x-1/2")}
						>
							{formatTick(tick.offsetMicros, step)}
						</span>
					))}
			</div>
			<span aria-hidden className={classNames(NUMBER_CELL, "text-right")}>
				{texts.column.tokens}
			</span>
			<span aria-hidden className={classNames(NUMBER_CELL, "text-right")}>
				{texts.column.cost}
			</span>
			<span aria-hidden className="text-right">
				{texts.column.duration}
			</span>
		</div>
	);
}

/** Fine lines at the ticks, behind all rows. */
export function TimeGrid({ ticks }: { ticks: readonly Tick[] }): ReactNode {
	return (
		<div aria-hidden className={classNames(GRID, "pointer-events-none absolute inset-0 gap-x-2 px-2")}>
			<span />
			<div className={classNames(BAR_CELL, "relative")}>
				{ticks.map((tick) => (
					<span
						key={tick.offsetMicros}
						style={{ left: `${tick.at * 100}%` }}
						className="absolute inset-y-0 w-px bg-line opacity-60"
					/>
				))}
			</div>
		</div>
	);
}

import type { ReactNode } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { BAR_CELL, GRID, HEAD_HEIGHT, NUMBER_CELL } from "./tree-columns.ts";
import { formatTick, type Tick } from "./waterfall.ts";

/** The header of the tree: column names, and the times of the ticks. */
export function TimeAxis({ ticks }: { ticks: readonly Tick[] }): ReactNode {
	const step = (ticks[1]?.offsetMicros ?? 0) - (ticks[0]?.offsetMicros ?? 0);
	return (
		<div
			aria-hidden
			style={{ height: HEAD_HEIGHT }}
			className={classNames(
				GRID,
				"sticky top-0 z-10 items-center gap-x-2 border-line border-b bg-canvas px-2 text-muted text-sm",
			)}
		>
			<span>{texts.column.name}</span>
			<div className={classNames(BAR_CELL, "relative h-full overflow-hidden")}>
				{/* A label at the right end would overlap the previous one, or overflow the column. */}
				{ticks
					.filter((tick) => tick.at < 0.9)
					.map((tick, index) => (
						<span
							key={tick.offsetMicros}
							style={{ left: `${tick.at * 100}%` }}
							className={classNames("absolute top-1.5 whitespace-nowrap text-xs", index > 0 && "-translate-x-1/2")}
						>
							{formatTick(tick.offsetMicros, step)}
						</span>
					))}
			</div>
			<span className={classNames(NUMBER_CELL, "text-right")}>{texts.column.tokens}</span>
			<span className={classNames(NUMBER_CELL, "text-right")}>{texts.column.cost}</span>
			<span className="text-right">{texts.column.duration}</span>
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

import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export interface SparklineProps {
	/** In words, for those who cannot see it. */
	readonly label: string;
	readonly values: readonly number[];
	/** Drawn over the bars from the bottom, in red. */
	readonly errors?: readonly number[];
	readonly kind?: "bars" | "line";
	readonly className?: string;
}

const WIDTH = 100;
const HEIGHT = 24;

/** A small picture of a series, the highest value at the top; nothing to read off, the number stands beside it. */
export function Sparkline({ label, values, errors, kind = "bars", className }: SparklineProps): ReactNode {
	const max = Math.max(...values, 0);
	return (
		<svg
			role="img"
			aria-label={label}
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			preserveAspectRatio="none"
			className={classNames("block h-6 w-full", className)}
		>
			{max > 0 && kind === "bars" && <path d={bars(values, max)} className="fill-line-strong" />}
			{max > 0 && errors && <path d={bars(errors, max)} className="fill-danger" />}
			{max > 0 && kind === "line" && (
				<path
					d={line(values, max)}
					className="fill-none stroke-muted"
					strokeWidth={1.25}
					vectorEffect="non-scaling-stroke"
				/>
			)}
			<path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} className="stroke-line" vectorEffect="non-scaling-stroke" />
		</svg>
	);
}

function bars(values: readonly number[], max: number): string {
	const step = WIDTH / values.length;
	const gap = values.length > 80 ? 0 : step * 0.2;
	return values
		.map((value, index) => {
			if (value <= 0) return "";
			const height = Math.max(1, (value / max) * HEIGHT);
			return `M${(index * step).toFixed(2)} ${HEIGHT}v${-height.toFixed(2)}h${(step - gap).toFixed(2)}v${height.toFixed(2)}z`;
		})
		.join("");
}

/** Gaps (0: nothing was measured) break the line; a lone point is drawn as a short dash. */
function line(values: readonly number[], max: number): string {
	const step = WIDTH / Math.max(1, values.length);
	let path = "";
	let drawing = false;
	values.forEach((value, index) => {
		if (value <= 0) {
			drawing = false;
			return;
		}
		const x = index * step;
		const y = (1 + (1 - value / max) * (HEIGHT - 3)).toFixed(2);
		path += drawing ? `L${(x + step / 2).toFixed(2)} ${y}` : `M${x.toFixed(2)} ${y}h${(step / 2).toFixed(2)}`;
		drawing = true;
	});
	return path;
}

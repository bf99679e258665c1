import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Equal from "lucide-react/icons/equal";
import { createContext, type ReactNode, useContext } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { formatDelta } from "./metrics.ts";

const TEXTS = dataTexts.compare;

/** Names of the metrics for which lower is better. */
export const MinimizedContext = createContext<ReadonlySet<string>>(new Set());

/** Differences below this are rounding errors, from adding the same numbers in another order. */
const NOTHING = 1e-9;

/** The gain over the base; negative when worse. */
export function gainOf(delta: number, isLowerBetter: boolean): number {
	if (Math.abs(delta) < NOTHING) return 0;
	return isLowerBetter ? -delta : delta;
}

export interface DeltaProps {
	readonly metric: string;
	/** The score minus the base's. */
	readonly delta: number;
	/** Shows at most two digits. */
	readonly isShort?: boolean;
}

/** Rounds to two digits, unless that gives 0. */
function rounded(delta: number): number {
	return Number(delta.toFixed(2)) || delta;
}

/** The difference between a score and the base's, with sign, arrow and colour. */
export function Delta({ metric, delta, isShort = false }: DeltaProps): ReactNode {
	const isLowerBetter = useContext(MinimizedContext).has(metric);
	const gain = gainOf(delta, isLowerBetter);
	const text = formatDelta(delta);
	const Icon = gain === 0 ? Equal : delta > 0 ? ArrowUp : ArrowDown;
	const [color, title] =
		gain > 0
			? ["text-ok", TEXTS.better(text)]
			: gain < 0
				? ["text-danger", TEXTS.worse(text)]
				: ["text-muted", TEXTS.same];
	return (
		<span title={title} className={classNames("inline-flex shrink-0 items-center gap-0.5 text-sm", color)}>
			<Icon size={12} aria-hidden />
			{gain === 0 ? <span className="sr-only">{TEXTS.same}</span> : isShort ? formatDelta(rounded(delta)) : text}
		</span>
	);
}

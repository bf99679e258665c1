import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Equal from "lucide-react/icons/equal";
import type { ReactNode } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { formatDelta } from "./metrics.ts";

const TEXTS = dataTexts.compare;

/** To two digits, unless nothing were left. */
function rounded(delta: number): number {
	return Number(delta.toFixed(2)) || delta;
}

/** How a score differs from the base's, by sign, arrow and colour. */
export function Delta({ delta, isShort = false }: { delta: number; isShort?: boolean }): ReactNode {
	const text = formatDelta(delta);
	const [Icon, color, title] =
		delta > 0
			? [ArrowUp, "text-ok", TEXTS.better(text)]
			: delta < 0
				? [ArrowDown, "text-danger", TEXTS.worse(text)]
				: [Equal, "text-muted", TEXTS.same];
	return (
		<span title={title} className={classNames("inline-flex shrink-0 items-center gap-0.5 text-sm", color)}>
			<Icon size={12} aria-hidden />
			{delta === 0 ? <span className="sr-only">{TEXTS.same}</span> : isShort ? formatDelta(rounded(delta)) : text}
		</span>
	);
}

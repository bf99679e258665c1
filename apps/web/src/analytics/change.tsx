import type { ReactNode } from "react";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { classNames } from "../ui/class-names.ts";
import type { NumberForm } from "./chart.ts";
import { changeOf, formatChange, formatOf, isBadNews } from "./measures.ts";

/** How a number has changed since the time before; nothing where that says nothing. */
export function Change({
	measure,
	now,
	before,
	form,
	className,
}: {
	measure: string;
	now: number | null | undefined;
	before: number | null | undefined;
	form?: NumberForm | undefined;
	className?: string;
}): ReactNode {
	const share = changeOf(now, before);
	if (share === undefined) return null;
	const text = formatChange(share);
	return (
		<span
			title={TEXTS.change(text, formatOf(measure, form)(before))}
			className={classNames("text-sm", isBadNews(measure) && share > 0 ? "text-danger" : "text-muted", className)}
		>
			{text}
		</span>
	);
}

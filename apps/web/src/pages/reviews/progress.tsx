import type { ReviewQueue } from "@spanward/client";
import type { ReactNode } from "react";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";

/** How many of the items of a queue are done, as a bar. */
export function QueueProgress({
	counts,
	className = "",
}: Pick<ReviewQueue, "counts"> & { className?: string }): ReactNode {
	const all = counts.pending + counts.in_review + counts.disagreement + counts.done;
	const share = all === 0 ? 0 : counts.done / all;
	return (
		<div
			role="progressbar"
			aria-label={TEXTS.progress}
			aria-valuemin={0}
			aria-valuemax={all}
			aria-valuenow={counts.done}
			aria-valuetext={TEXTS.doneOf(counts.done, all)}
			title={TEXTS.doneOf(counts.done, all)}
			className={`h-1.5 overflow-hidden rounded-full bg-sunken ${className}`}
		>
			<div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
		</div>
	);
}

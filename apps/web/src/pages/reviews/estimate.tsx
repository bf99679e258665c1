import type { ReviewEstimate } from "@spanward/client";
import type { ReactNode } from "react";
import { reviewTexts } from "../../texts/reviews-en.ts";

const TEXTS = reviewTexts.agreement;

/** A figure with its interval; in words why there is none. */
export function Estimate({ estimate, isShare }: { estimate: ReviewEstimate | null; isShare: boolean }): ReactNode {
	if (estimate === null) return <span className="text-muted">{TEXTS.notOfThese}</span>;
	const { state, value, interval, pairs } = estimate;
	if (state === "too_few") return <span className="text-muted">{TEXTS.tooFew(pairs)}</span>;
	if (state === "undefined" || value === null) return <span className="text-muted">{TEXTS.undefined}</span>;
	const show = (number: number) => (isShare ? `${Math.round(number * 100)} %` : number.toFixed(2));
	return (
		<>
			<span className="font-medium">{show(value)}</span>
			{interval && (
				<span className="block text-muted text-sm">{TEXTS.between(show(interval.low), show(interval.high))}</span>
			)}
		</>
	);
}

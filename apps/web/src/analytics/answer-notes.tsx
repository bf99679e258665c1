import type { Analytics } from "@spanward/client";
import type { ReactNode } from "react";
import { formatTime } from "../lib/time.ts";
import { analyticsTexts as TEXTS } from "../texts/analytics-en.ts";
import { isLedger } from "./chart.ts";

/** What has to be known about an answer to read it: that it is partial, and what was not counted. */
export function AnswerNotes({ answer }: { answer: Analytics }): ReactNode {
	const { is_partial, covered_start_time, approximate, overlapping } = answer;
	return (
		<>
			{is_partial && covered_start_time !== null && (
				<p role="status" className="rounded bg-warn-soft px-3 py-1.5 text-warn">
					{(isLedger(answer.of) ? TEXTS.stillCounted : TEXTS.partial)(formatTime(covered_start_time))}
				</p>
			)}
			{is_partial && covered_start_time === null && (
				<p role="status" className="text-muted text-sm">
					{TEXTS.stillGrouped}
				</p>
			)}
			{approximate.includes("too_many_distinct") && (
				<p role="status" className="rounded bg-warn-soft px-3 py-1.5 text-warn">
					{TEXTS.tooManyDistinct}
				</p>
			)}
			{overlapping && <p className="text-muted text-sm">{TEXTS.overlapping}</p>}
		</>
	);
}

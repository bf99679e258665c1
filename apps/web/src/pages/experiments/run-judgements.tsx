import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { UNKNOWN } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import { formatScore } from "./metrics.ts";
import type { ComparedRun } from "./queries.ts";
import { type RunDetails, runDetailsQuery } from "./run-queries.ts";

const TEXTS = dataTexts.compare;

type Told = Pick<ComparedRun["evaluations"][number], "name" | "label" | "score" | "explanation" | "error">;

/** What evaluators said of a run. */
export function Evaluations({ evaluations }: { evaluations: readonly Told[] }): ReactNode {
	if (evaluations.length === 0) return null;
	return (
		<ul aria-label={TEXTS.evaluations} className="flex flex-col gap-1.5 border-line border-t pt-2">
			{evaluations.map((evaluation) => (
				<Judgement key={evaluation.name} told={evaluation} />
			))}
		</ul>
	);
}

/** What people answered about a run in review queues, as far as that may be seen. */
export function Reviews({ reviews }: { reviews: NonNullable<RunDetails["reviews"]> }): ReactNode {
	if (reviews.length === 0) return null;
	return (
		<ul aria-label={TEXTS.reviews} className="flex flex-col gap-1.5 border-line border-t pt-2">
			{reviews.map((review) => (
				<Judgement
					key={`${review.identifier} ${review.name}`}
					told={{ ...review, error: null }}
					by={review.is_decision ? TEXTS.decided(review.username ?? undefined) : (review.username ?? TEXTS.somebody)}
				/>
			))}
		</ul>
	);
}

/** {@link Reviews} of a run, once they are loaded. */
export function ReviewsOfRun({ run }: { run: string }): ReactNode {
	const { data } = useQuery(runDetailsQuery(run, false));
	return data?.reviews && <Reviews reviews={data.reviews} />;
}

function Judgement({ told, by }: { told: Told; by?: string }): ReactNode {
	const { name, label, score, explanation, error } = told;
	return (
		<li className="min-w-0">
			<span className="flex flex-wrap items-center gap-1.5">
				<span className="text-muted text-sm">{name}</span>
				{error === null ? (
					<>
						{label && <Chip>{label}</Chip>}
						{(score !== null || !label) && (by === undefined || score !== null) && (
							<span className="text-sm">{score === null ? UNKNOWN : formatScore(score)}</span>
						)}
					</>
				) : (
					<Chip tone="danger">{TEXTS.evaluationFailed}</Chip>
				)}
				{by !== undefined && <span className="text-muted text-sm">{by}</span>}
			</span>
			{(error ?? explanation) && <TextContent text={error ?? explanation ?? ""} plain className="text-muted text-sm" />}
		</li>
	);
}

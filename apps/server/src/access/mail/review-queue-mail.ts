import type { Mail } from "./mailer.ts";
import { type Addressee, compose, facts, type MailSite, text } from "./messages.ts";

/** What somebody is told about a review queue. Nothing of what is reviewed is in it. */
export interface ReviewQueueNotice {
	readonly queueId: string;
	readonly queueName: string;
	/** What they were added as; null where they know it already. */
	readonly addedAs: "reviewer" | "adjudicator" | "both" | null;
	/** Whether the queue is due, and items wait for them. */
	readonly isDue: boolean;
	readonly dueAt: Date | null;
	/** Items that wait for an answer by them, and for a decision; no more than `mostCounted` were counted. */
	readonly reviews: number;
	readonly decisions: number;
	readonly mostCounted: number;
}

/** Tells somebody that a review queue names them now, or that it is due. */
export function reviewQueueMail({ email }: Addressee, notice: ReviewQueueNotice, site: MailSite): Mail {
	const { queueId, queueName, addedAs, isDue, dueAt } = notice;
	return compose(email, subjectOf(notice), site, [
		...(addedAs === null ? [] : [text(ADDED[addedAs])]),
		...(isDue ? [text("The queue is due, and items in it wait for you.")] : []),
		facts([
			["Queue", queueName],
			...(dueAt === null ? [] : [["Due", `${dueAt.toISOString().slice(0, 16).replace("T", " ")} UTC`] as const]),
			...waiting("Waiting for your answer", notice.reviews, notice),
			...waiting("Waiting for your decision", notice.decisions, notice),
		]),
		{
			kind: "button",
			id: "review-queue-url",
			label: "Open the queue",
			url: `${site.rootUrl}/reviews/${encodeURIComponent(queueId)}`,
		},
		text("There is one mail a day about a queue at most."),
	]);
}

function subjectOf({ addedAs }: ReviewQueueNotice): string {
	return addedAs === null ? "A review queue in Spanward is due" : "You were added to a review queue in Spanward";
}

const ADDED = {
	reviewer: "You were named as a reviewer of this review queue: you answer its questions about one item after another.",
	adjudicator:
		"You were named as an adjudicator of this review queue: you decide where the answers of reviewers differ.",
	both: "You were named as a reviewer and an adjudicator of this review queue: you answer its questions about one item after another, and decide where the answers of reviewers differ.",
} as const;

function waiting(
	name: string,
	count: number,
	{ mostCounted }: ReviewQueueNotice,
): (readonly [name: string, value: string])[] {
	if (count === 0) return [];
	return [[name, count < mostCounted ? String(count) : `${count} or more`]];
}

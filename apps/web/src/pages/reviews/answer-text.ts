import type { ReviewAnswer, ReviewItem } from "@spanward/client";
import { formatScore } from "../../annotating/annotation-value.tsx";
import { reviewTexts as TEXTS } from "../../texts/reviews-en.ts";

/** An answer in a word: its label, number or text. */
export function answerText({ label, score, explanation }: ReviewAnswer): string {
	return label ?? (score === null ? (explanation ?? "") : formatScore(score));
}

/** What is known of the answers about an item, on one line: the decision, else the reviews. */
export function answersText({ decision, reviews }: ReviewItem): string {
	if (decision !== null) return decision.answers.map(answerText).join(", ");
	return reviews
		.map(({ answers, reason }) => (answers === null ? TEXTS.skipped(reason ?? "") : answers.map(answerText).join(", ")))
		.join(" · ");
}

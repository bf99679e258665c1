import type { GivenAnswer } from "../questions.ts";

/** An answer without its explanation. */
export type ShortAnswer = Pick<GivenAnswer, "configId" | "label" | "score">;

/** Those of a review or a decision, as `readAnswered` has them. */
export function parseAnswers(json: string): readonly ShortAnswer[] {
	return JSON.parse(json) as readonly ShortAnswer[];
}

export type ShortReview = readonly [reviewer: number, answers: readonly ShortAnswer[]];

/** The reviews of an item, as `readAnswered` has them. */
export function parseReviews(json: string): readonly ShortReview[] {
	return JSON.parse(json) as readonly ShortReview[];
}

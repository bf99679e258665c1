import { type Question, ROUNDING } from "../questions.ts";
import type { ComparedQuestion } from "./thread-messages.ts";

/** A question whose answers are compared. */
export interface Comparable extends Question {
	readonly type: "CATEGORICAL" | "CONTINUOUS";
}

/** All but those that ask for a text. */
export function isComparable(question: Question): question is Comparable {
	return question.type !== "FREEFORM";
}

export function toCompared({ configId, values, lowerBound, upperBound, tolerance }: Comparable): ComparedQuestion {
	const largest = Math.max(Math.abs(lowerBound ?? 0), Math.abs(upperBound ?? 0), 1);
	return { configId, labels: values, tolerance: tolerance + ROUNDING * largest };
}

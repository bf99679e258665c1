import { differByMore, type GivenAnswer, type Question } from "../questions.ts";

/** What counts of an item. */
export interface Gold {
	/** In the order of the questions; one for each that has a gold answer. */
	readonly answers: readonly GivenAnswer[];
	/** Whether an adjudicator gave them, rather than reviewers who agree. */
	readonly isDecision: boolean;
}

/**
 * The gold answers of an item: those of its decision, else what all who reviewed it answered alike, of numbers within the
 * tolerance their mean. Texts and notes have to be the same.
 * @param reviews the answers of each reviewer
 */
export function goldOf(
	questions: readonly Question[],
	decision: readonly GivenAnswer[] | undefined,
	reviews: readonly (readonly GivenAnswer[])[],
): Gold {
	if (decision !== undefined) {
		const decided = (configId: number) => decision.find((answer) => answer.configId === configId);
		return { answers: questions.flatMap(({ configId }) => decided(configId) ?? []), isDecision: true };
	}
	const answers = questions.flatMap((question) => {
		const given = reviews.flatMap((review) => review.find(({ configId }) => configId === question.configId) ?? []);
		return agreedOn(question, given) ?? [];
	});
	return { answers, isDecision: false };
}

function agreedOn({ type, tolerance }: Question, given: readonly GivenAnswer[]): GivenAnswer | undefined {
	const [first] = given;
	if (first === undefined) return undefined;
	const explanation = sameText(given.flatMap((answer) => answer.explanation ?? []));
	if (type === "FREEFORM") return explanation === null ? undefined : { ...first, explanation };
	if (type === "CATEGORICAL") {
		const isSame = given.every(({ label }) => label === first.label);
		return isSame ? { ...first, explanation } : undefined;
	}
	const scores = given.flatMap(({ score }) => score ?? []);
	if (scores.length === 0 || differByMore(tolerance, scores)) return undefined;
	return { ...first, explanation, score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}

function sameText(texts: readonly string[]): string | null {
	const [first, ...others] = texts;
	if (first === undefined) return null;
	return others.every((text) => text.trim() === first.trim()) ? first : null;
}

import type { ReviewAnswer, ReviewAnswerBodyInput, ReviewQuestion } from "@spanward/client";
import { boundsText, type Draft, EMPTY } from "../annotating/draft.ts";
import { annotatingTexts } from "../texts/annotating-en.ts";
import { reviewTexts as TEXTS } from "../texts/reviews-en.ts";

/** What is filled in so far, by the id of the annotation config that is asked. */
export type Drafts = ReadonlyMap<string, Draft>;

/** An answer to a question, as any answer of the server has it. */
type AnyAnswer = Partial<Pick<ReviewAnswer, "label" | "score" | "explanation">> &
	Pick<ReviewAnswer, "annotation_config_id">;

/** Answers as the fields of the form have them. */
export function toDrafts(questions: readonly ReviewQuestion[], answers: readonly AnyAnswer[]): Drafts {
	return new Map(
		answers.map(({ annotation_config_id: id, label, score, explanation }) => {
			const type = questions.find((question) => question.annotation_config_id === id)?.type;
			// The score of a label comes with it.
			const number = type === "CATEGORICAL" || score === null || score === undefined ? "" : String(score);
			return [id, { label: label ?? "", score: number, explanation: explanation ?? "" }];
		}),
	);
}

export function draftAt(drafts: Drafts, { annotation_config_id: id }: ReviewQuestion): Draft {
	return drafts.get(id) ?? EMPTY;
}

/** Whether a question has its answer; an explanation alone is none. */
export function isAnswered({ type }: ReviewQuestion, draft: Draft): boolean {
	if (type === "CATEGORICAL") return draft.label !== "";
	return (type === "CONTINUOUS" ? draft.score : draft.explanation).trim() !== "";
}

/** What the server gets of the form: nothing for empty fields, nor for a number that is none. */
export function toAnswers(questions: readonly ReviewQuestion[], drafts: Drafts): ReviewAnswerBodyInput[] {
	return questions.flatMap((question) => {
		const { label, score, explanation } = draftAt(drafts, question);
		const number = score.trim() === "" ? Number.NaN : Number(score);
		const answer = {
			...(question.type === "CATEGORICAL" && label !== "" ? { label } : {}),
			...(question.type === "CONTINUOUS" && Number.isFinite(number) ? { score: number } : {}),
			...((question.type === "FREEFORM" || question.note) && explanation.trim() !== ""
				? { explanation: explanation.trim() }
				: {}),
		};
		if (Object.keys(answer).length === 0) return [];
		return [{ annotation_config_id: question.annotation_config_id, ...answer }];
	});
}

/** What keeps a form from being saved, by the id of the question. */
export function problemsOf(questions: readonly ReviewQuestion[], drafts: Drafts): ReadonlyMap<string, string> {
	return new Map(
		questions.flatMap((question) => {
			const problem = problemOf(question, draftAt(drafts, question));
			return problem === undefined ? [] : [[question.annotation_config_id, problem] as const];
		}),
	);
}

function problemOf(question: ReviewQuestion, draft: Draft): string | undefined {
	if (!isAnswered(question, draft)) {
		if (question.required) return TEXTS.form.missing;
		return question.type !== "FREEFORM" && draft.explanation.trim() !== "" ? TEXTS.form.onlyNote : undefined;
	}
	if (question.type === "CATEGORICAL")
		return question.values?.some(({ label }) => label === draft.label) ? undefined : TEXTS.form.missing;
	if (question.type === "FREEFORM") return undefined;
	const score = Number(draft.score);
	if (!Number.isFinite(score)) return annotatingTexts.badNumber;
	const { lower_bound: low, upper_bound: high } = question;
	if ((low ?? -Infinity) <= score && score <= (high ?? Infinity)) return undefined;
	return boundsText(question) ?? annotatingTexts.badNumber;
}

/** Letters that do something else while reviewing: skip, back, note, gold, and up and down in the trace. */
const TAKEN = "sungjk";
const LETTERS = "qwertyiopadfhlzxcvbm";

/** The letter that moves to each question: one of its name where that is free, so that it is found again. */
export function lettersOf(names: readonly string[]): readonly string[] {
	const used = new Set(TAKEN);
	return names.map((name) => {
		const letter = [...name.toLowerCase(), ...LETTERS].find((each) => LETTERS.includes(each) && !used.has(each)) ?? "";
		used.add(letter);
		return letter;
	});
}

import {
	type AnswerPair,
	confusionMatrix,
	type Item,
	MAX_LABELS,
	measureAgreement,
	runInOneGo,
	scoreLabels,
	type Value,
} from "@spanward/agreement";
import { AnswerPool, QuestionAnswers } from "./question-answers.ts";
import { parseAnswers, parseReviews, type ShortAnswer } from "./read-answers.ts";
import type {
	AgreementResult,
	AgreementTask,
	CalibrationResult,
	CalibrationTask,
	ComparedQuestion,
	CountedItem,
} from "./thread-messages.ts";

/** How far reviewers agree on each question, and on all of them together. */
export class AgreementCounter {
	readonly #task: AgreementTask;
	readonly #withLabels: readonly ComparedQuestion[];
	readonly #pool = new AnswerPool();
	readonly #byQuestion: readonly { readonly question: ComparedQuestion; readonly answers: QuestionAnswers }[];
	readonly #overall: Item[] = [];

	constructor(task: AgreementTask) {
		this.#task = task;
		this.#withLabels = task.questions.filter(({ labels }) => labels !== null);
		this.#byQuestion = task.questions.map((question) => ({ question, answers: new QuestionAnswers(question) }));
	}

	add({ reviews, decision, isNamed }: CountedItem): void {
		const parsed = parseReviews(reviews).map(([reviewer, answers]) => ({ reviewer, given: valuesOf(answers) }));
		const decided = decision === null ? undefined : valuesOf(parseAnswers(decision));
		for (const { question, answers } of this.#byQuestion) {
			const item = parsed.flatMap(({ reviewer, given }) => {
				const value = given(question);
				return value === undefined ? [] : this.#answer(question, reviewer, value);
			});
			answers.add(item, decided?.(question), isNamed);
		}
		this.#addOverall(parsed);
	}

	#answer({ labels }: ComparedQuestion, reviewer: number, value: Value) {
		return labels === null ? { rater: String(reviewer), value } : this.#pool.get(reviewer, value);
	}

	#addOverall(
		parsed: readonly { readonly reviewer: number; readonly given: (question: ComparedQuestion) => Value | undefined }[],
	): void {
		if (this.#withLabels.length < 2) return;
		const item = parsed.flatMap(({ reviewer, given }) => {
			const labels = this.#withLabels.map(given);
			return labels.includes(undefined) ? [] : this.#pool.get(reviewer, JSON.stringify(labels));
		});
		if (item.length > 1) this.#overall.push(item);
	}

	finish(): AgreementResult {
		const { reviewsRequired } = this.#task;
		const questions = this.#byQuestion.map(({ answers }) => answers.measure(reviewsRequired));
		const [only] = this.#withLabels;
		if (only === undefined) return { questions };
		const ofOnly = questions[this.#task.questions.indexOf(only)]?.agreement;
		if (this.#withLabels.length === 1 && ofOnly !== undefined) return { overall: ofOnly, questions };
		const options = { level: "nominal", answersPerItem: reviewsRequired } as const;
		return { overall: runInOneGo(measureAgreement(this.#overall, options)), questions };
	}
}

/** The label or number that was answered to a question. */
function valuesOf(answers: readonly ShortAnswer[]): (question: ComparedQuestion) => Value | undefined {
	return ({ configId, labels }) => {
		const answer = answers.find((each) => each.configId === configId);
		return (labels === null ? answer?.score : answer?.label) ?? undefined;
	};
}

/** How far somebody, or a model, judges as gold does. */
export class CalibrationCounter {
	readonly #question: ComparedQuestion;
	readonly #pairs: AnswerPair[] = [];

	constructor({ question }: CalibrationTask) {
		this.#question = question;
	}

	add(pair: AnswerPair): void {
		this.#pairs.push(pair);
	}

	finish(): CalibrationResult {
		const { labels, tolerance } = this.#question;
		const items = this.#pairs.map(
			([gold, judged]): Item => [
				{ rater: "gold", value: gold },
				{ rater: "judged", value: judged },
			],
		);
		const level = labels === null ? "interval" : "nominal";
		const agreement = runInOneGo(measureAgreement(items, { level, tolerance }));
		if (labels === null) return { agreement, labels: [] };
		const first = labels.map(({ label }) => label);
		const all = new Set<Value>([...first, ...this.#pairs.flat()]);
		if (all.size > MAX_LABELS) return { agreement, labels: [] };
		const matrix = confusionMatrix(this.#pairs, first);
		return { agreement, matrix, labels: scoreLabels(matrix) };
	}
}

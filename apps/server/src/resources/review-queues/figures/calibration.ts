import type { AnswerPair, Value } from "@spanward/agreement";
import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import { listed } from "#storage/listed.ts";
import type { AnnotatorKind, ReviewTarget, Tables } from "#storage/schema.ts";
import { identifierOf } from "../publish.ts";
import { differByMore } from "../questions.ts";
import type { QueueRow } from "../queues.ts";
import type { AnsweredItem } from "./answered-items.ts";
import type { Comparable } from "./compared-questions.ts";
import { parseAnswers, parseReviews, type ShortAnswer } from "./read-answers.ts";

const MOST_CHARACTERS = 2_000;

export interface Compared {
	readonly queue: Pick<QueueRow, "id" | "target">;
	readonly question: Comparable;
	readonly annotationName: string;
	/** Undefined for any. */
	readonly identifier: string | undefined;
	/** Only what adjudicators decided is gold. */
	readonly onlyDecisions: boolean;
}

interface GoldAnswer {
	readonly label: string | null;
	readonly score: number | null;
	readonly isDecision: boolean;
}

interface JudgedAnswer {
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
	readonly annotator_kind: AnnotatorKind;
	readonly identifier: string;
}

/** An item with gold, and the annotation that it is compared with. */
export interface ComparedItem {
	readonly item: AnsweredItem;
	readonly gold: GoldAnswer;
	readonly judged: JudgedAnswer;
	readonly isDifferent: boolean;
}

/** Items that have gold, of those of a queue that are done. */
export function hasGold({ onlyDecisions }: Pick<Compared, "onlyDecisions">): RawBuilder<boolean> {
	return onlyDecisions
		? sql<boolean>`review_items.decision is not null`
		: sql<boolean>`(review_items.decision is not null or review_items.state = 'done')`;
}

/** Condition on a row of {@link judgements}: it did not come of the queue itself. */
export function isOfOthers({ id }: Pick<QueueRow, "id">): RawBuilder<boolean> {
	return sql<boolean>`(identifier <> ${identifierOf(id)} and identifier not like ${`${identifierOf(id)}:%`})`;
}

/**
 * What is compared of items that are done: those with a gold answer to the question and such an annotation.
 * @returns also how many have a gold answer
 */
export async function compareItems(
	db: Kysely<Tables>,
	compared: Compared,
	items: readonly AnsweredItem[],
): Promise<{ readonly gold: number; readonly found: readonly ComparedItem[] }> {
	const { question } = compared;
	const withGold = items.flatMap((item) => {
		const gold = goldOf(compared, item);
		return gold === undefined ? [] : { item, gold };
	});
	const rowIds = withGold.map(({ item }) => item.target_row_id);
	const judged = await findJudged(db, compared, rowIds);
	const found = withGold.flatMap(({ item, gold }) => {
		const annotation = judged.get(item.target_row_id);
		const values = annotation && toPair(question, gold, annotation);
		if (annotation === undefined || values === undefined) return [];
		return { item, gold, judged: annotation, isDifferent: differs(question, values) };
	});
	return { gold: withGold.length, found };
}

/** Gold first; undefined where the annotation has no such value. */
export function toPair(
	{ type }: Pick<Comparable, "type">,
	gold: Pick<GoldAnswer, "label" | "score">,
	judged: Pick<JudgedAnswer, "label" | "score">,
): AnswerPair | undefined {
	const value = (answer: Pick<GoldAnswer, "label" | "score">): Value | null =>
		type === "CATEGORICAL" ? answer.label : answer.score;
	const [first, second] = [value(gold), value(judged)];
	return first === null || second === null ? undefined : [first, second];
}

function goldOf({ question, onlyDecisions }: Compared, { decision, reviews }: AnsweredItem): GoldAnswer | undefined {
	if (decision !== null) {
		const decided = answerTo(question, parseAnswers(decision));
		return decided && { label: decided.label, score: decided.score, isDecision: true };
	}
	if (onlyDecisions || reviews === null) return undefined;
	const given = parseReviews(reviews).flatMap(([, answers]) => {
		const answer = answerTo(question, answers);
		return answer === undefined ? [] : [answer];
	});
	const [first] = given;
	if (first === undefined) return undefined;
	if (question.type === "CATEGORICAL") {
		const isSame = given.every(({ label }) => label === first.label);
		return isSame ? { label: first.label, score: first.score, isDecision: false } : undefined;
	}
	const scores = given.flatMap(({ score }) => score ?? []);
	if (differByMore(question.tolerance, scores)) return undefined;
	const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
	return { label: null, score: mean, isDecision: false };
}

/** With a label, or a number, as the question asks for it. */
function answerTo({ type, configId }: Comparable, answers: readonly ShortAnswer[]): ShortAnswer | undefined {
	const answer = answers.find((each) => each.configId === configId);
	return (type === "CATEGORICAL" ? answer?.label : answer?.score) == null ? undefined : answer;
}

function differs({ tolerance }: Comparable, [gold, judged]: AnswerPair): boolean {
	if (typeof gold === "number" && typeof judged === "number") return differByMore(tolerance, [gold, judged]);
	return gold !== judged;
}

interface JudgementRow extends JudgedAnswer {
	readonly id: number;
	readonly target_row_id: number;
	readonly name: string;
	readonly updated_at: number;
}

/**
 * What was said of these targets: annotations; of runs of experiments their evaluations, and reviews of queues.
 * @param ids a subquery
 */
export function judgements(target: ReviewTarget, ids: Expression<number>) {
	const annotations = sql<JudgementRow>`(
		select id, target_row_id, name, identifier, annotator_kind, label, score, explanation, updated_at
		from annotations where target = ${target} and target_row_id in ${ids}
	)`;
	const ofRuns = sql<JudgementRow>`(
		select id, run_id as target_row_id, name, '' as identifier, annotator_kind, label, score, explanation,
			end_micros as updated_at
		from experiment_evaluations where run_id in ${ids}
		union all
		select id, run_id, name, identifier, 'HUMAN', label, score, explanation, updated_at
		from experiment_run_reviews where run_id in ${ids}
	)`;
	return (target === "experiment_run" ? ofRuns : annotations).as<"judgements">(sql.ref("judgements"));
}

/** The annotations of these targets that did not come of the queue itself, by row number of the target. */
async function findJudged(
	db: Kysely<Tables>,
	{ queue, annotationName, identifier }: Compared,
	rowIds: readonly number[],
): Promise<ReadonlyMap<number, JudgedAnswer>> {
	let query = db
		.selectFrom(judgements(queue.target, listed(rowIds)))
		.select(["target_row_id", "label", "score", "annotator_kind", "identifier"])
		.select(sql<string | null>`substr(explanation, 1, ${MOST_CHARACTERS})`.as("explanation"))
		.where("name", "=", annotationName)
		.where(isOfOthers(queue));
	if (identifier !== undefined) query = query.where("identifier", "=", identifier);
	const rows = await query.orderBy("updated_at").orderBy("id").execute();
	// The last one of a target stays.
	return new Map(rows.map(({ target_row_id, ...judged }) => [target_row_id, judged]));
}

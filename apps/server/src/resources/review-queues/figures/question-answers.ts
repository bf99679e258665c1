import {
	type Answer,
	confusionMatrix,
	type Item,
	type Level,
	MAX_LABELS,
	measureAgreement,
	measurePair,
	runInOneGo,
	type Value,
} from "@spanward/agreement";
import type { ComparedQuestion, MatrixFigures, QuestionResult } from "./thread-messages.ts";

/** Pairs of reviewers that have a matrix: those with the most items in common. */
const MOST_PAIRS = 50;

interface NamedItem {
	readonly item: Item;
	readonly gold: Value | undefined;
}

/** Makes equal answers one object: of hundreds of thousands few are different where they are labels. */
export class AnswerPool {
	readonly #known = new Map<number, Map<Value, Answer>>();

	get(reviewer: number, value: Value): Answer {
		const own = this.#known.get(reviewer) ?? new Map<Value, Answer>();
		if (own.size === 0) this.#known.set(reviewer, own);
		const answer = own.get(value) ?? { rater: String(reviewer), value };
		if (!own.has(value)) own.set(value, answer);
		return answer;
	}
}

/** All answers to one question. */
export class QuestionAnswers {
	readonly #question: ComparedQuestion;
	readonly #items: Item[] = [];
	readonly #named: NamedItem[] = [];

	constructor(question: ComparedQuestion) {
		this.#question = question;
	}

	/** @param isNamed whether it may be told who answered what */
	add(item: Item, gold: Value | undefined, isNamed: boolean): void {
		if (item.length > 1) this.#items.push(item);
		if (isNamed && (item.length > 1 || (gold !== undefined && item.length > 0))) this.#named.push({ item, gold });
	}

	/** @param reviewsRequired how many answers an item has that counts for Fleiss' κ */
	measure(reviewsRequired: number): QuestionResult {
		const { labels, tolerance } = this.#question;
		const { level, items } = toLevel(this.#question, this.#items);
		const agreement = runInOneGo(measureAgreement(items, { level, tolerance, answersPerItem: reviewsRequired }));
		if (labels === null) return { level, agreement, pairs: [], pairsLeftOut: 0, againstGold: [] };
		return { level, agreement, ...this.#measurePairs(labels.map(({ label }) => label)) };
	}

	#measurePairs(own: readonly string[]): Pick<QuestionResult, "pairs" | "pairsLeftOut" | "againstGold"> {
		const found = countPairs(this.#named);
		const labels = [...new Set([...own, ...givenIn(this.#named)])];
		if (labels.length > MAX_LABELS) return { pairs: [], pairsLeftOut: found.length, againstGold: [] };
		const pairs = found.slice(0, MOST_PAIRS).map(({ first, second }) => ({
			reviewers: [Number(first), Number(second)] as const,
			...measureMatrix(pairsOf(this.#named, first, second), labels),
		}));
		const withGold = this.#named.filter(({ gold }) => gold !== undefined);
		const reviewers = new Set(withGold.flatMap(({ item }) => item.map(({ rater }) => rater)));
		const againstGold = [...reviewers].sort(byNumber).map((rater) => ({
			reviewer: Number(rater),
			...measureMatrix(goldPairsOf(withGold, rater), labels),
		}));
		return { pairs, pairsLeftOut: Math.max(0, found.length - MOST_PAIRS), againstGold };
	}
}

/** Labels become their scores where these say an order. */
function toLevel(
	{ labels }: ComparedQuestion,
	items: readonly Item[],
): { readonly level: Level; readonly items: readonly Item[] } {
	if (labels === null) return { level: "interval", items };
	const scores = orderedScores(labels);
	if (scores === undefined || items.some((item) => item.some(({ value }) => !scores.has(value))))
		return { level: "nominal", items };
	const pool = new AnswerPool();
	const toScore = ({ rater, value }: Answer) => pool.get(Number(rater), scores.get(value) ?? 0);
	return { level: "ordinal", items: items.map((item) => item.map(toScore)) };
}

/** Undefined unless the scores of the labels go up or down all the way. */
function orderedScores(labels: NonNullable<ComparedQuestion["labels"]>): ReadonlyMap<Value, number> | undefined {
	const scores = labels.flatMap(({ score }) => score ?? []);
	const rises = scores.slice(1).map((score, place) => Math.sign(score - (scores[place] ?? score)));
	const isOrdered = scores.length === labels.length && rises.every((rise) => rise !== 0 && rise === rises[0]);
	return isOrdered ? new Map(labels.map(({ label }, place) => [label, scores[place] ?? 0])) : undefined;
}

interface FoundPair {
	readonly first: string;
	readonly second: string;
	readonly items: number;
}

/** Who answered the same items, those with the most in common first. */
function countPairs(named: readonly NamedItem[]): readonly FoundPair[] {
	const counts = new Map<string, Map<string, number>>();
	for (const { item } of named) {
		const raters = item.map(({ rater }) => rater).sort(byNumber);
		for (const [place, first] of raters.entries()) {
			const seconds = counts.get(first) ?? new Map<string, number>();
			if (seconds.size === 0) counts.set(first, seconds);
			for (const second of raters.slice(place + 1)) seconds.set(second, (seconds.get(second) ?? 0) + 1);
		}
	}
	return [...counts]
		.flatMap(([first, seconds]) => Array.from(seconds, ([second, items]) => ({ first, second, items })))
		.sort(
			(left, right) =>
				right.items - left.items || byNumber(left.first, right.first) || byNumber(left.second, right.second),
		);
}

function givenIn(named: readonly NamedItem[]): readonly string[] {
	const given = new Set<string>();
	for (const { item, gold } of named) {
		for (const { value } of item) given.add(String(value));
		if (gold !== undefined) given.add(String(gold));
	}
	return [...given].sort();
}

function* pairsOf(named: readonly NamedItem[], first: string, second: string): Generator<[Value, Value]> {
	for (const { item } of named) {
		const left = item.find(({ rater }) => rater === first);
		const right = left && item.find(({ rater }) => rater === second);
		if (left !== undefined && right !== undefined) yield [left.value, right.value];
	}
}

function* goldPairsOf(named: readonly NamedItem[], reviewer: string): Generator<[Value, Value]> {
	for (const { item, gold } of named) {
		const answer = item.find(({ rater }) => rater === reviewer);
		if (answer !== undefined && gold !== undefined) yield [gold, answer.value];
	}
}

function measureMatrix(pairs: Iterable<[Value, Value]>, labels: readonly Value[]): MatrixFigures {
	const matrix = confusionMatrix(pairs, labels);
	return { matrix, ...runInOneGo(measurePair(matrix)) };
}

function byNumber(left: string, right: string): number {
	return Number(left) - Number(right);
}

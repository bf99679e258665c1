import type { z } from "zod";
import type { FairTurns } from "#base/fair-turns.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { configIdOf, questionsOf } from "../questions.ts";
import { countItems, getQueue, isAdjudicator, type QueueRow } from "../queues.ts";
import { noParams, queueParams } from "../schemas.ts";
import { seenTurns, showsAllTurns } from "../seen-turns.ts";
import { findNames, toReviewer } from "../to-item.ts";
import { type AnsweredItem, readAnswered } from "./answered-items.ts";
import { type Comparable, isComparable, toCompared } from "./compared-questions.ts";
import { computeInThread } from "./compute-in-thread.ts";
import { KnownAgreement, readRevision } from "./known-agreement.ts";
import { QueueAgreement } from "./schemas.ts";
import type { AgreementResult, CountedItem, QuestionResult } from "./thread-messages.ts";
import { toAgreement, toMatrixFigures } from "./to-wire.ts";

/** How far reviewers agree. @param turns that computations take */
export function reviewAgreementRoutes(app: App, { db, now }: Context, turns: FairTurns): void {
	const known = new KnownAgreement();
	app.get(
		"/v1/review_queues/:queue_id/agreement",
		{
			config: { access: "read", home: "catalogue" },
			schema: {
				operationId: "getReviewAgreement",
				tags: ["review"],
				summary: "How far reviewers agree, by question and over whole reviews",
				description:
					"Of answers that the caller may see: of a blind queue those to items that are done, for adjudicators also those that they have to decide, which are in no matrix.",
				params: queueParams,
				querystring: noParams,
				response: { 200: QueueAgreement },
			},
		},
		async (request, reply) => {
			const { actor, params } = request;
			const { name, gone } = askerOf(request, reply);
			const queue = await getQueue(db.read, params.queue_id);
			const questions = questionsOf(queue).filter(isComparable);
			const counted = new CountedParts(queue, isAdjudicator(queue, actor.principal));
			const of = {
				...{ queueId: queue.id, queueUpdatedAt: queue.updated_at, revision: await readRevision(db.read, queue) },
				...{ isDecider: isAdjudicator(queue, actor.principal), rights: actor.rights },
			};
			const compute = async () => {
				const result = await computeInThread(
					{ kind: "agreement", questions: questions.map(toCompared), reviewsRequired: queue.reviews_required },
					counted.of(readAnswered(db.read, { queue, rights: actor.rights, condition: counted.condition })),
					gone,
				);
				known.keep(of, { result, items: counted.items });
				return { result, items: counted.items };
			};
			const { result, items } = known.find(of) ?? (await turns.run(name, compute, { gone }));
			return {
				data: {
					reviews_required: queue.reviews_required,
					items,
					disagreements_left_out: await countLeftOut(actor, queue),
					...(await toWire(questions, result)),
				},
			};
		},
	);

	async function countLeftOut(actor: Actor, queue: QueueRow): Promise<number> {
		if (queue.blind === 0 || isAdjudicator(queue, actor.principal)) return 0;
		const counts = await countItems(db.read, actor.rights, [queue.id], now());
		return counts(queue.id).disagreement;
	}

	async function toWire(
		questions: readonly Comparable[],
		result: AgreementResult,
	): Promise<Pick<z.output<typeof QueueAgreement>["data"], "overall" | "questions">> {
		const names = await findNames(db.read, result.questions.flatMap(reviewersIn));
		return {
			overall: result.overall === undefined ? null : toAgreement(result.overall),
			questions: questions.flatMap((question, index) => {
				const of = result.questions[index];
				if (of === undefined) return [];
				return {
					...{ annotation_config_id: configIdOf(question), name: question.name, type: question.type, level: of.level },
					agreement: toAgreement(of.agreement),
					reviewer_pairs: of.pairs.map((pair) => ({
						reviewers: pair.reviewers.map((id) => toReviewer(id, names)),
						...toMatrixFigures(pair),
					})),
					reviewer_pairs_left_out: of.pairsLeftOut,
					against_gold: of.againstGold.map((figures) => ({
						reviewer: toReviewer(figures.reviewer, names),
						...toMatrixFigures(figures),
					})),
				};
			}),
		};
	}
}

/** The items whose answers count, on their way to the thread. */
class CountedParts {
	readonly #queue: QueueRow;
	readonly #isDecider: boolean;
	/** How many there were. */
	items = 0;

	constructor(queue: QueueRow, isDecider: boolean) {
		this.#queue = queue;
		this.#isDecider = isDecider;
	}

	get condition() {
		return showsAllTurns(this.#queue, this.#isDecider);
	}

	async *of(chunks: AsyncIterable<readonly AnsweredItem[]>): AsyncGenerator<readonly CountedItem[]> {
		for await (const chunk of chunks) {
			const counted = chunk.flatMap((item) => {
				const { reviews, decision } = item;
				const isNamed = seenTurns(this.#queue, item, this.#isDecider) === "all";
				return reviews === null ? [] : [{ reviews, decision, isNamed }];
			});
			this.items += counted.length;
			yield counted;
		}
	}
}

function reviewersIn({ pairs, againstGold }: QuestionResult): readonly number[] {
	return [...pairs.flatMap(({ reviewers }) => reviewers), ...againstGold.map(({ reviewer }) => reviewer)];
}

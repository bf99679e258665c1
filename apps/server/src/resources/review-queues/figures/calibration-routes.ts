import type { AnswerPair } from "@spanward/agreement";
import type { z } from "zod";
import { ValidationError } from "#base/errors.ts";
import type { FairTurns } from "#base/fair-turns.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askerOf } from "#http/asker.ts";
import { attachment } from "#http/attachment.ts";
import { csvLine } from "#http/csv-line.ts";
import { decodeIdCursor } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { streamOf, whileAllowed } from "#http/stream-array.ts";
import { orStreamed, streamedText } from "#http/streamed-text.ts";
import { decodeConfigId } from "#resources/annotation-configs/queries.ts";
import { configIdOf, questionsOf } from "../questions.ts";
import { getQueue, type QueueRow } from "../queues.ts";
import { queueParams } from "../schemas.ts";
import { globalIdOf, projectIdOf } from "../targets.ts";
import { readAnswered } from "./answered-items.ts";
import { type Compared, type ComparedItem, compareItems, hasGold, toPair } from "./calibration.ts";
import { type Comparable, isComparable, toCompared } from "./compared-questions.ts";
import { computeInThread } from "./compute-in-thread.ts";
import { CalibrationQuery, QueueCalibration } from "./schemas.ts";
import { toMatrix, toMeasured } from "./to-wire.ts";

type Query = z.output<typeof CalibrationQuery>;
type WireDifference = z.output<typeof QueueCalibration>["data"]["differences"][number];

/** How far annotations, such as those of a judge, are as gold. @param turns that computations take */
export function reviewCalibrationRoutes(app: App, { db }: Context, turns: FairTurns): void {
	app.get(
		"/v1/review_queues/:queue_id/calibration",
		{
			config: { access: "read", home: "catalogue" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getReviewCalibration",
				tags: ["review"],
				summary: "Compare annotations, such as those of a judge, with the gold answers of a review queue",
				description:
					"Gold is what adjudicators decided and, with `gold=all`, what all reviewers of an item answered alike; of numbers their mean. Annotations of the same target count, but those that came of the queue itself.",
				params: queueParams,
				querystring: CalibrationQuery,
				response: {
					200: {
						content: {
							"application/json": { schema: orStreamed(QueueCalibration) },
							"text/csv": { schema: streamedText },
						},
					},
				},
			},
		},
		async (request, reply) => {
			const { actor, params, query } = request;
			const queue = await getQueue(db.read, params.queue_id);
			const question = findQuestion(queue, query);
			const compared = {
				...{ queue, question, annotationName: query.annotation_name, identifier: query.identifier },
				onlyDecisions: query.gold === "decisions",
			};
			if (query.format === "csv") {
				const chunks = whileAllowed(readCompared(actor, compared), () => actor.assertSeesAsBefore());
				return reply
					.type("text/csv; charset=utf-8")
					.header("content-disposition", attachment(`${queue.name} ${query.annotation_name}.csv`))
					.send(streamOf(csvOf(queue, chunks, { escapeFormulas: query.escape_formulas })));
			}
			const { name, gone } = askerOf(request, reply);
			const page = new DifferencePage(decodeIdCursor("ReviewItem", query.cursor) ?? 0, query.limit);
			const result = await turns.run(
				name,
				() =>
					computeInThread(
						{ kind: "calibration", question: toCompared(question) },
						page.pairs(question, readCompared(actor, compared)),
						gone,
					),
				{ gone },
			);
			return {
				data: {
					...{ annotation_name: query.annotation_name, annotation_config_id: configIdOf(question) },
					...{ name: question.name, type: question.type },
					...{ gold_items: page.gold, compared: page.compared, differing: page.differing },
					...toMeasured(result.agreement),
					matrix: result.matrix === undefined ? null : toMatrix(result.matrix),
					labels: result.labels.map((score) => ({ ...score, label: String(score.label) })),
					differences: page.items.map((item) => toDifference(queue, item)),
				},
				next_cursor: page.next === undefined ? null : encodeGlobalId("ReviewItem", page.next),
			};
		},
	);

	async function* readCompared(
		{ rights }: Pick<Actor, "rights">,
		compared: Compared,
	): AsyncGenerator<{ readonly gold: number; readonly found: readonly ComparedItem[] }> {
		const asked = { queue: compared.queue, rights, condition: hasGold(compared) };
		for await (const items of readAnswered(db.read, asked)) yield await compareItems(db.read, compared, items);
	}
}

/** @throws ValidationError for a question that the queue does not ask, or that has nothing to compare */
function findQuestion(queue: QueueRow, { annotation_name, annotation_config_id }: Query): Comparable {
	const comparable = questionsOf(queue).filter(isComparable);
	const id = annotation_config_id === undefined ? undefined : decodeConfigId(annotation_config_id);
	const found =
		annotation_config_id === undefined
			? (comparable.find(({ name }) => name === annotation_name) ?? comparable[0])
			: comparable.find(({ configId }) => configId === id);
	if (found !== undefined) return found;
	const msg =
		annotation_config_id === undefined
			? "The queue asks for texts alone, which are not compared"
			: "Input should be the id of a question of the queue for a label or a number";
	throw new ValidationError([{ type: "unknown_question", loc: ["query", "annotation_config_id"], msg }]);
}

/** The items that are compared, on their way to the thread: counts them, and keeps a page of those where they differ. */
class DifferencePage {
	readonly #fromId: number;
	readonly #limit: number;
	readonly items: ComparedItem[] = [];
	/** Row number of the first item of the next page. */
	next: number | undefined;
	gold = 0;
	compared = 0;
	differing = 0;

	constructor(fromId: number, limit: number) {
		this.#fromId = fromId;
		this.#limit = limit;
	}

	async *pairs(
		question: Comparable,
		chunks: AsyncIterable<{ readonly gold: number; readonly found: readonly ComparedItem[] }>,
	): AsyncGenerator<readonly AnswerPair[]> {
		for await (const { gold, found } of chunks) {
			this.gold += gold;
			this.compared += found.length;
			for (const compared of found) if (compared.isDifferent) this.#add(compared);
			yield found.flatMap(({ gold: answer, judged }) => {
				const pair = toPair(question, answer, judged);
				return pair === undefined ? [] : [pair];
			});
		}
	}

	#add(compared: ComparedItem): void {
		this.differing += 1;
		if (compared.item.id < this.#fromId) return;
		if (this.items.length < this.#limit) this.items.push(compared);
		else this.next ??= compared.item.id;
	}
}

function toDifference({ target }: QueueRow, { item, gold, judged }: ComparedItem): WireDifference {
	return {
		item_id: encodeGlobalId("ReviewItem", item.id),
		target: {
			...{ kind: target, id: item.target_id },
			global_id: globalIdOf(target, item.target_row_id),
			project_id: projectIdOf(item.project_id),
		},
		gold: { label: gold.label, score: gold.score, is_decision: gold.isDecision },
		judged,
	};
}

const COLUMNS = [
	...["item_id", "target_kind", "target_id", "project_id", "gold_label", "gold_score", "is_decision"],
	...["label", "score", "explanation", "annotator_kind", "identifier"],
];

async function* csvOf(
	queue: QueueRow,
	chunks: AsyncIterable<{ readonly found: readonly ComparedItem[] }>,
	options: { readonly escapeFormulas: boolean },
): AsyncGenerator<string> {
	yield csvLine(COLUMNS, options);
	for await (const { found } of chunks) {
		const lines = found.filter(({ isDifferent }) => isDifferent).map((item) => toDifference(queue, item));
		if (lines.length === 0) continue;
		yield lines
			.map(({ item_id, target, gold, judged }) =>
				csvLine(
					[
						...[item_id, target.kind, target.id, target.project_id],
						...[gold.label, gold.score, String(gold.is_decision)],
						...[judged.label, judged.score, judged.explanation, judged.annotator_kind, judged.identifier],
					],
					options,
				),
			)
			.join("");
	}
}

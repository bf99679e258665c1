import { type Kysely, sql } from "kysely";
import type { Actor } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { countThatFits } from "#http/page-size.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import { CHUNK, CHUNK_BYTES } from "#http/stream-array.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { findShownItems, type ShownItemRow } from "../items.ts";
import { answersOf, configIdOf, type GivenAnswer, questionsOf } from "../questions.ts";
import { isAdjudicator, numberOf, type QueueRow } from "../queues.ts";
import { seenTurns } from "../seen-turns.ts";
import { findTargets, projectIdOf } from "../targets.ts";
import { findNames, toReviewer } from "../to-item.ts";
import type { TurnRow } from "../turns.ts";

type Exporting = Pick<Actor, "principal" | "rights" | "traces" | "noteHidden">;

/** One answer to one question about one item. */
export interface ExportRow {
	readonly item_id: string;
	readonly item_state: string;
	readonly target_kind: string;
	readonly target_id: string;
	/** Null for the library. */
	readonly project_id: string | null;
	/** Null like the name for accounts that were deleted, and where the queue is blind and the item not decided. */
	readonly reviewer_id: string | null;
	readonly reviewer: string | null;
	readonly source: "review" | "decision";
	readonly annotation_config_id: string;
	readonly question: string;
	readonly label: string | null;
	readonly score: number | null;
	readonly explanation: string | null;
	readonly seconds: number | null;
	readonly answered_at: string | null;
}

/** The answers of a queue that the actor may see, by item and time, a few items at a time. */
export async function* readExport(
	db: Kysely<Tables>,
	actor: Exporting,
	queue: QueueRow,
	now: () => number,
): AsyncGenerator<readonly ExportRow[]> {
	for (let after = 0; ; ) {
		const ids = await nextItems(db, actor, queue, after);
		const last = ids.at(-1);
		if (last === undefined) return;
		const rows = await readRows(db, actor, queue, { ids, now: now() });
		if (rows.length > 0) yield rows;
		after = last;
	}
}

/** The next items by id, as many as have few enough bytes of answers; at least one, unless there is none. */
async function nextItems(
	db: Kysely<Tables>,
	{ rights }: Pick<Actor, "rights">,
	{ id }: QueueRow,
	after: number,
): Promise<readonly number[]> {
	const found = await db
		.selectFrom("review_items")
		.select("id")
		.select(
			sql<number>`coalesce(octet_length(decision), 0) + (
				select coalesce(sum(octet_length(answers)), 0) from review_turns where review_turns.item_id = review_items.id
			)`.as("bytes"),
		)
		.where("queue_id", "=", id)
		.where("id", ">", after)
		.where(isSeenHome("review_items.project_id", rights))
		.orderBy("id")
		.limit(CHUNK)
		.execute();
	const sized = found.map((item) => ({ id: item.id, bytes: Number(item.bytes) }));
	return sized.slice(0, countThatFits(sized, CHUNK_BYTES)).map((item) => item.id);
}

async function readRows(
	db: Kysely<Tables>,
	actor: Exporting,
	queue: QueueRow,
	{ ids, now }: { readonly ids: readonly number[]; readonly now: number },
): Promise<ExportRow[]> {
	const items = await findShownItems(db, actor.rights, ids, now);
	const rowIds = items.map((item) => item.target_row_id);
	const entities = await findTargets(db, actor, queue.target, rowIds);
	const there = new Set(entities.map(({ rowId }) => rowId));
	const turns = await db
		.selectFrom("review_turns")
		.selectAll()
		.where("item_id", "in", listed(ids))
		.where("status", "=", "done")
		.orderBy("id")
		.execute();
	const people = [...turns.map(({ reviewer }) => reviewer), ...items.flatMap(({ decided_by }) => decided_by ?? [])];
	const names = await findNames(db, people);
	const byItem = Map.groupBy(turns, (turn) => turn.item_id);
	const rowsOf = new ItemRows(queue, actor, names);
	return items.flatMap((item) => rowsOf.get(item, byItem.get(item.id) ?? [], there.has(item.target_row_id)));
}

class ItemRows {
	readonly #queue: QueueRow;
	readonly #own: number;
	readonly #isDecider: boolean;
	readonly #names: ReadonlyMap<number, string>;
	readonly #questions: ReturnType<typeof questionsOf>;

	constructor(queue: QueueRow, { principal }: Exporting, names: ReadonlyMap<number, string>) {
		this.#queue = queue;
		this.#own = numberOf(principal);
		this.#isDecider = isAdjudicator(queue, principal);
		this.#names = names;
		this.#questions = questionsOf(queue);
	}

	get(item: ShownItemRow, turns: readonly TurnRow[], isThere: boolean): ExportRow[] {
		const sees = seenTurns(this.#queue, item, this.#isDecider);
		const about = {
			item_id: encodeGlobalId("ReviewItem", item.id),
			item_state: isThere ? item.shown_state : "removed",
			...{ target_kind: this.#queue.target, target_id: item.target_id },
			project_id: projectIdOf(item.project_id),
		};
		const reviews = turns
			.filter(({ reviewer }) => sees !== "own" || reviewer === this.#own)
			.flatMap(({ reviewer, answers, seconds, finished_at }) => {
				const isNamed = sees !== "nameless" || reviewer === this.#own;
				return answersOf(answers ?? "[]").map((answer) => ({
					...{ ...about, ...this.#person(isNamed ? reviewer : undefined), source: "review" as const },
					...this.#answer(answer),
					...{ seconds: isNamed ? seconds : null, answered_at: toTime(finished_at) },
				}));
			});
		const decided = answersOf(item.decision ?? "[]").map((answer) => ({
			...{ ...about, ...this.#person(item.decided_by ?? undefined), source: "decision" as const },
			...this.#answer(answer),
			...{ seconds: null, answered_at: toTime(item.decided_at) },
		}));
		return [...reviews, ...decided];
	}

	#person(id: number | undefined): Pick<ExportRow, "reviewer_id" | "reviewer"> {
		const reviewer = id === undefined ? undefined : toReviewer(id, this.#names);
		return { reviewer_id: reviewer?.id ?? null, reviewer: reviewer?.username ?? null };
	}

	#answer({ configId, name, label, score, explanation }: GivenAnswer) {
		const question = this.#questions.find((each) => each.configId === configId);
		const annotation_config_id = configIdOf(question ?? { configId, type: "CATEGORICAL" });
		return { annotation_config_id, question: name, label, score, explanation };
	}
}

function toTime(micros: number | null): string | null {
	return micros === null ? null : formatTime(micros);
}

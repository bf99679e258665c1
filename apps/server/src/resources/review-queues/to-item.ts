import type { Kysely } from "kysely";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { findShownItem, type ShownItemRow } from "./items.ts";
import { answersOf, configIdOf, type GivenAnswer, questionsOf } from "./questions.ts";
import { isAdjudicator, numberOf, type QueueRow } from "./queues.ts";
import type { Reviewer, ReviewItem } from "./schemas.ts";
import { seenTurns } from "./seen-turns.ts";
import { findTargetNames } from "./target-names.ts";
import { findTargets, globalIdOf, projectIdOf, type Target } from "./targets.ts";
import type { NamedTurn, TurnRow } from "./turns.ts";

type Wire = z.output<typeof ReviewItem>;
type Viewing = Pick<Actor, "principal" | "traces" | "rights" | "hidden" | "noteHidden">;

/**
 * Items as the actor is shown them. Those whose targets are meanwhile in a project that the actor does not see are left out.
 * @param withNames reads the names of the targets, too
 */
export async function showItems(
	db: Kysely<Tables>,
	actor: Viewing,
	queue: QueueRow,
	rows: readonly ShownItemRow[],
	{ withNames = false }: { readonly withNames?: boolean } = {},
): Promise<Wire[]> {
	const rowIds = rows.map((row) => row.target_row_id);
	const entities = await findTargets(db, actor, queue.target, rowIds);
	const byRow = new Map(entities.map((entity) => [entity.rowId, entity]));
	const mayBeHidden = actor.hidden.size > 0;
	const targetNames = withNames
		? await findTargetNames(actor.traces, queue.target, entities)
		: new Map<number, string>();
	const turns = await db
		.selectFrom("review_turns")
		.selectAll()
		.where("item_id", "in", listed(rows.map(({ id }) => id)))
		.where("status", "<>", "reserved")
		.orderBy("id")
		.execute();
	const byItem = Map.groupBy(turns, (turn) => turn.item_id);
	const people = [...turns.map(({ reviewer }) => reviewer), ...rows.flatMap(({ decided_by }) => decided_by ?? [])];
	const names = await findNames(db, people);
	return rows.flatMap((row) => {
		const entity = byRow.get(row.target_row_id);
		if (entity === undefined && mayBeHidden) return [];
		const name = targetNames.get(row.target_row_id) ?? null;
		return [toItem({ actor, queue, names, row, entity, name, turns: byItem.get(row.id) ?? [] })];
	});
}

/** An item that nobody has decided, whose target and turns are known, as the actor is shown it. */
export function showKnown(
	actor: Viewing,
	queue: QueueRow,
	known: { readonly row: ShownItemRow; readonly entity: Target; readonly turns: readonly NamedTurn[] },
): Wire {
	const turns = known.turns.filter(({ status }) => status !== "reserved");
	const names = new Map(turns.flatMap(({ reviewer, username }) => (username === null ? [] : [[reviewer, username]])));
	return toItem({ ...known, actor, queue, names, name: null, turns });
}

/** One item as the actor is shown it. @param now microseconds since 1970 @throws UserError 409 when its target is gone */
export async function showItem(
	db: Kysely<Tables>,
	actor: Viewing,
	queue: QueueRow,
	{ id, now }: { readonly id: number; readonly now: number },
): Promise<Wire> {
	const row = await findShownItem(db, id, now);
	const [item] = row === undefined ? [] : await showItems(db, actor, queue, [row]);
	if (item === undefined) throw targetGone();
	return item;
}

export function targetGone(): UserError {
	return new UserError(409, "review_removed", "What was to be reviewed is gone.");
}

/** Names of the users with these row numbers who are there. */
export async function findNames(db: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.selectFrom("users")
		.select(["id", "username"])
		.where("id", "in", listed([...new Set(ids)]))
		.execute();
	return new Map(rows.map(({ id, username }) => [id, username]));
}

export function toReviewer(id: number, names: ReadonlyMap<number, string>): z.output<typeof Reviewer> {
	const username = names.get(id) ?? null;
	return { id: username === null ? null : encodeGlobalId("User", id), username };
}

interface Shown {
	readonly actor: Viewing;
	readonly queue: QueueRow;
	readonly names: ReadonlyMap<number, string>;
	readonly row: ShownItemRow;
	readonly entity: Target | undefined;
	readonly name: string | null;
	readonly turns: readonly TurnRow[];
}

function toItem({ actor, queue, names, row, entity, name, turns }: Shown): Wire {
	const state = entity === undefined ? "removed" : row.shown_state;
	const own = numberOf(actor.principal);
	const sees = seenTurns(queue, row, isAdjudicator(queue, actor.principal));
	const toAnswers = (answers: readonly GivenAnswer[]) => answers.map((answer) => toAnswer(queue, answer));
	return {
		id: encodeGlobalId("ReviewItem", row.id),
		target: {
			...{ kind: queue.target, id: row.target_id, name },
			global_id: globalIdOf(queue.target, row.target_row_id),
			trace_id: entity?.traceId ?? null,
			project_id: projectIdOf((entity ?? { projectId: row.project_id }).projectId),
		},
		...{ state, priority: row.priority, turns_done: turns.length },
		reviews: turns
			.filter((turn) => sees !== "own" || turn.reviewer === own)
			.flatMap((turn) =>
				turn.status === "reserved"
					? []
					: {
							reviewer: sees === "nameless" && turn.reviewer !== own ? null : toReviewer(turn.reviewer, names),
							...{ status: turn.status, reason: turn.reason },
							answers: turn.answers === null ? null : toAnswers(answersOf(turn.answers)),
							finished_at: turn.finished_at === null ? null : formatTime(turn.finished_at),
						},
			),
		decision:
			row.decision === null || row.decided_by === null || row.decided_at === null
				? null
				: {
						...{ decided_by: toReviewer(row.decided_by, names), decided_at: formatTime(row.decided_at) },
						answers: toAnswers(answersOf(row.decision)),
					},
		created_at: formatTime(row.created_at),
	};
}

function toAnswer(queue: QueueRow, { configId, name, label, score, explanation }: GivenAnswer) {
	const question = questionsOf(queue).find((each) => each.configId === configId);
	const annotation_config_id = configIdOf(question ?? { configId, type: "CATEGORICAL" });
	return { annotation_config_id, name, label, score, explanation };
}

import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { notFound } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";
import type { EntityKind } from "#storage/traces/entity.ts";

export type RuleRow = Selectable<Tables["review_rules"]>;

/** A rule that is followed, with the kind of its queue. */
export type FollowedRule = RuleRow & { readonly target: EntityKind };

/** The limited key, or the grant of a program, with which a rule ends. */
const ActsAs = z.object({ keyId: z.int().optional(), grantId: z.int().optional() });

const MICROS_PER_DAY = 86_400_000_000;

/** @param now microseconds since 1970 @returns days since 1970 */
export function dayOf(now: number): number {
	return Math.floor(now / MICROS_PER_DAY);
}

export async function findRule(db: Kysely<Tables>, queueId: number): Promise<RuleRow | undefined> {
	return await db.selectFrom("review_rules").selectAll().where("queue_id", "=", queueId).executeTakeFirst();
}

export function ruleNotFound() {
	return notFound("review_rule_not_found", "The review queue has no rule");
}

export interface RuleToStore extends Pick<RuleRow, "queue_id" | "project_id" | "filter" | "sample" | "daily_limit"> {
	readonly enabled: 0 | 1;
	readonly user_id: number | null;
	readonly acts_as: string;
	/** The highest row number of what has arrived. */
	readonly arrived: number;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** Makes the rule of a queue, or replaces it. It goes on where it was, unless it rested or is about another project now. */
export async function storeRule(
	transaction: Transaction<Tables>,
	{ arrived, now, ...values }: RuleToStore,
): Promise<RuleRow> {
	const before = await findRule(transaction, values.queue_id);
	const goesOn = before?.enabled === 1 && before.project_id === values.project_id;
	const from = goesOn ? {} : { decided_row: arrived, seen_row: arrived, seen_at: now };
	if (before === undefined)
		return await transaction
			.insertInto("review_rules")
			.values({
				...{ ...values, decided_row: arrived, seen_row: arrived, seen_at: now, error: null },
				...{ day: dayOf(now), day_items: 0, total_items: 0, revision: 0, created_at: now, updated_at: now },
			})
			.returningAll()
			.executeTakeFirstOrThrow();
	return await transaction
		.updateTable("review_rules")
		.set({
			...{ ...values, ...from, error: null, revision: before.revision + 1 },
			updated_at: Math.max(now, before.updated_at + 1),
		})
		.where("queue_id", "=", values.queue_id)
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** Those that are to be followed now. */
export async function listFollowed(db: Kysely<Tables>): Promise<readonly FollowedRule[]> {
	return await db
		.selectFrom("review_rules")
		.innerJoin("review_queues", "review_queues.id", "review_rules.queue_id")
		.selectAll("review_rules")
		.select("review_queues.target")
		.where("review_queues.target", "<>", "experiment_run")
		.$narrowType<{ target: EntityKind }>()
		.where("review_rules.enabled", "=", 1)
		.where("review_queues.archived_at", "is", null)
		.orderBy("review_rules.queue_id")
		.execute();
}

/** Row numbers of archived queues whose rules are still to forget where they were, to begin anew when these are brought back. */
export async function listArchivedRules(db: Kysely<Tables>): Promise<readonly number[]> {
	const rows = await db
		.selectFrom("review_rules")
		.innerJoin("review_queues", "review_queues.id", "review_rules.queue_id")
		.select("review_rules.queue_id")
		.where("review_queues.archived_at", "is not", null)
		.where("review_rules.decided_row", "is not", null)
		.execute();
	return rows.map(({ queue_id }) => queue_id);
}

export type RuleChange = Partial<
	Pick<RuleRow, "enabled" | "error" | "decided_row" | "seen_row" | "seen_at" | "day" | "day_items" | "total_items">
>;

/**
 * Writes how far a rule has come, unless it was changed meanwhile, or another process has got further.
 * @returns undefined when nothing was written
 */
export async function advanceRule(
	transaction: Transaction<Tables>,
	{ queue_id, revision }: Pick<RuleRow, "queue_id" | "revision">,
	change: RuleChange,
): Promise<RuleRow | undefined> {
	return await transaction
		.updateTable("review_rules")
		.set({ ...change, revision: revision + 1 })
		.where("queue_id", "=", queue_id)
		.where("revision", "=", revision)
		.returningAll()
		.executeTakeFirst();
}

export function actsAsOf({ acts_as }: Pick<RuleRow, "acts_as">): z.output<typeof ActsAs> {
	return ActsAs.parse(JSON.parse(acts_as));
}

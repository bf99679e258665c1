import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Tables } from "#storage/schema.ts";

export type RepairRow = Selectable<Tables["repair_runs"]>;

/** Repairs that are kept in the list. */
const KEPT = 1_000;
const UNFINISHED = ["queued", "running"] as const;

/** Repairs with the newest first, from `fromId` downwards. */
export async function listRepairs(
	db: Kysely<Tables>,
	{ limit, fromId }: { limit: number; fromId?: number | undefined },
): Promise<RepairRow[]> {
	const query = db.selectFrom("repair_runs").selectAll().orderBy("id", "desc").limit(limit);
	return await (fromId === undefined ? query : query.where("id", "<=", fromId)).execute();
}

/** @throws UserError 404 */
export async function getRepair(db: Kysely<Tables>, id: number): Promise<RepairRow> {
	const row = await db.selectFrom("repair_runs").selectAll().where("id", "=", id).executeTakeFirst();
	if (row === undefined) throw notFound("repair_not_found", "There is no such repair");
	return row;
}

/** The oldest repair that has not ended. */
export async function findUnfinished(db: Kysely<Tables>): Promise<RepairRow | undefined> {
	return await db
		.selectFrom("repair_runs")
		.selectAll()
		.where("status", "in", UNFINISHED)
		.orderBy("id")
		.executeTakeFirst();
}

interface NewRepair
	extends Pick<RepairRow, "kind" | "project_id" | "start_micros" | "end_micros" | "dry_run" | "user_id"> {
	readonly now: number;
}

/** @throws UserError 409 while one of this kind is unfinished */
export async function insertRepair(
	transaction: Transaction<Tables>,
	{ now, ...values }: NewRepair,
): Promise<RepairRow> {
	const unfinished = await transaction
		.selectFrom("repair_runs")
		.select("id")
		.where("kind", "=", values.kind)
		.where("status", "in", UNFINISHED)
		.executeTakeFirst();
	if (unfinished !== undefined) {
		throw new UserError(409, "repair_unfinished", "A repair of this kind waits or runs; wait for it, or cancel it.");
	}
	const row = await transaction
		.insertInto("repair_runs")
		.values({
			...values,
			...{ status: "queued", revision: 0, position: null, looked_at: 0, found: 0, repaired: 0, error: null },
			...{ created_at: now, finished_at: null },
		})
		.returningAll()
		.executeTakeFirstOrThrow();
	await transaction
		.deleteFrom("repair_runs")
		.where("id", "<=", row.id - KEPT)
		.where("status", "not in", UNFINISHED)
		.execute();
	return row;
}

/** Cancels a repair; one that has ended stays as it is. @returns whether it had not ended */
export async function cancelRepair(transaction: Transaction<Tables>, id: number, now: number): Promise<boolean> {
	const { numUpdatedRows } = await transaction
		.updateTable("repair_runs")
		.set({ status: "cancelled", finished_at: now })
		.where("id", "=", id)
		.where("status", "in", UNFINISHED)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

export type Advance = Partial<
	Pick<RepairRow, "status" | "position" | "looked_at" | "found" | "repaired" | "error" | "finished_at">
>;

/**
 * Records progress, unless the repair was cancelled meanwhile, or another process has advanced it beyond the state of
 * `row`, as this one lost its lease.
 * @returns the repair as it is now; undefined when nothing was recorded
 */
export async function advanceRepair(
	transaction: Transaction<Tables>,
	row: RepairRow,
	change: Advance,
): Promise<RepairRow | undefined> {
	return await transaction
		.updateTable("repair_runs")
		.set({ status: "running", ...change, revision: row.revision + 1 })
		.where("id", "=", row.id)
		.where("revision", "=", row.revision)
		.where("status", "in", UNFINISHED)
		.returningAll()
		.executeTakeFirst();
}

const Counts = { lookedAt: z.int(), found: z.int(), repaired: z.int() } as const;
const Position = z.object({ after: z.string(), ...Counts });

/** Where a repair goes on after a stop. */
export type RepairPosition = z.output<typeof Position>;

export function parsePosition({ position }: Pick<RepairRow, "position">): RepairPosition | undefined {
	return position === null ? undefined : Position.parse(JSON.parse(position));
}

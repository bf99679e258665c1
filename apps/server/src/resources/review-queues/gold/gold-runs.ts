import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { mayCall } from "#access/auth/may-call.ts";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { type Principal, userOf } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";

export type GoldRunRow = Selectable<Tables["review_gold_runs"]>;

/** Runs that have not ended, of all queues. */
const MAX_UNFINISHED = 100;
/** Runs that are kept in lists. */
const KEPT = 1_000;
/** Items that a run names among those that were left out. */
const MOST_NAMED = 20;

const UNFINISHED = ["waiting", "running"] as const;

const GoldParameters = z.object({
	/** The question whose text or note becomes the output; absent for all answers by name. */
	outputConfigId: z.int().optional(),
	onlyDecisions: z.boolean(),
	/** Whether others than before may see what the run takes elsewhere, as `allow_wider_access` said. */
	allowWiderAccess: z.boolean().optional(),
	/** The limited key, or the grant of the program, that started the run, which ends with it. */
	keyId: z.int().optional(),
	grantId: z.int().optional(),
});

export function parametersOf({ parameters }: Pick<GoldRunRow, "parameters">): z.output<typeof GoldParameters> {
	return GoldParameters.parse(JSON.parse(parameters));
}

/** An item that became no example. */
export interface LeftOut {
	/** Row number. */
	readonly itemId: number;
	readonly reason: string;
}

export function leftOutOf({ left_out }: Pick<GoldRunRow, "left_out">): readonly LeftOut[] {
	return z.array(z.object({ itemId: z.int(), reason: z.string() })).parse(JSON.parse(left_out));
}

interface NewGoldRun extends Pick<GoldRunRow, "version_id" | "total_items" | "user_id"> {
	readonly queue_id: number;
	readonly dataset_id: number;
	readonly parameters: z.output<typeof GoldParameters>;
	readonly now: number;
}

/** @throws UserError 409 when too many runs are unfinished */
export async function insertGoldRun(
	transaction: Transaction<Tables>,
	{ now, parameters, ...values }: NewGoldRun,
): Promise<GoldRunRow> {
	const unfinished = await listUnfinished(transaction);
	if (unfinished.length >= MAX_UNFINISHED)
		throw new UserError(
			409,
			"too_many_gold_runs",
			`${unfinished.length} runs are unfinished; wait for them, or cancel some.`,
		);
	const row = await transaction
		.insertInto("review_gold_runs")
		.values({
			...{ ...values, parameters: JSON.stringify(parameters), state: "waiting", revision: 0, position: 0 },
			...{ done_items: 0, created_examples: 0, updated_examples: 0, unchanged_examples: 0, left_out_items: 0 },
			...{ left_out: "[]", error: null, created_at: now, updated_at: now },
		})
		.returningAll()
		.executeTakeFirstOrThrow();
	await transaction
		.deleteFrom("review_gold_runs")
		.where("id", "<=", row.id - KEPT)
		.where("state", "not in", UNFINISHED)
		// What an ended one wrote may still have to be discarded.
		.where("version_id", "not in", (uploads) => uploads.selectFrom("dataset_uploads").select("version_id"))
		.execute();
	return row;
}

/** The runs that have not ended, the oldest first. */
export async function listUnfinished(db: Kysely<Tables>): Promise<GoldRunRow[]> {
	return await db.selectFrom("review_gold_runs").selectAll().where("state", "in", UNFINISHED).orderBy("id").execute();
}

/** What cancelled and failed runs have written. */
export async function listDiscardable(
	db: Kysely<Tables>,
): Promise<{ readonly datasetId: number; readonly versionId: number }[]> {
	return await db
		.selectFrom("review_gold_runs")
		.innerJoin("dataset_uploads", "dataset_uploads.version_id", "review_gold_runs.version_id")
		.select(["dataset_uploads.dataset_id as datasetId", "dataset_uploads.version_id as versionId"])
		.where("review_gold_runs.state", "not in", UNFINISHED)
		.execute();
}

interface GoldRunPage {
	readonly queueId: number;
	readonly fromId: number | undefined;
	readonly limit: number;
}

/** Runs of a queue that the principal may see: their own, or all as an admin; the newest first. */
export async function listGoldRuns(
	db: Kysely<Tables>,
	principal: Principal,
	{ queueId, fromId, limit }: GoldRunPage,
): Promise<GoldRunRow[]> {
	let query = db
		.selectFrom("review_gold_runs")
		.selectAll()
		.where("queue_id", "=", queueId)
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (!mayCall(principal, "admin"))
		query = query.where("user_id", "is not distinct from", userOf(principal)?.id ?? null);
	return await query.execute();
}

/** @throws UserError 404, also for runs of others unless the principal is an admin */
export async function getGoldRun(
	db: Kysely<Tables>,
	principal: Principal,
	{ queueId, runId }: { readonly queueId: number; readonly runId: string },
): Promise<GoldRunRow> {
	const id = decodeGlobalId(runId, "ReviewGoldRun");
	const [row] = id === undefined ? [] : await listGoldRuns(db, principal, { queueId, fromId: id, limit: 1 });
	if (row === undefined || row.id !== id)
		throw notFound("gold_run_not_found", "There is no such run of this review queue");
	return row;
}

/** Cancels a run; one that has ended stays as it is. What it has written is discarded later. */
export async function cancelGoldRun(transaction: Transaction<Tables>, id: number, now: number): Promise<void> {
	await transaction
		.updateTable("review_gold_runs")
		.set({ state: "cancelled", updated_at: now })
		.where("id", "=", id)
		.where("state", "in", UNFINISHED)
		.execute();
}

type Counted = "done_items" | "created_examples" | "updated_examples" | "unchanged_examples";
export type Advance = Partial<Pick<GoldRunRow, "state" | "position" | "error"> & Record<Counted, number>>;

/**
 * Records progress, unless the run was cancelled meanwhile, or another process has advanced it beyond the state of `row`.
 * @param leftOut by this step
 * @returns whether it was recorded
 */
export async function advanceGoldRun(
	transaction: Transaction<Tables>,
	row: GoldRunRow,
	change: Advance,
	{ leftOut = [], now }: { readonly leftOut?: readonly LeftOut[]; readonly now: number },
): Promise<boolean> {
	const named = [...leftOutOf(row), ...leftOut].slice(0, MOST_NAMED);
	const { numUpdatedRows } = await transaction
		.updateTable("review_gold_runs")
		.set({
			...{ state: "running", ...change, revision: row.revision + 1, updated_at: now },
			...{ left_out_items: row.left_out_items + leftOut.length, left_out: JSON.stringify(named) },
		})
		.where("id", "=", row.id)
		.where("revision", "=", row.revision)
		.where("state", "in", UNFINISHED)
		.executeTakeFirstOrThrow();
	return numUpdatedRows > 0n;
}

import type { Kysely, Selectable, Transaction } from "kysely";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import { ANNOTATOR_KINDS, type ProjectRole, type Tables } from "#storage/schema.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import type { SelectionFilters } from "../selections/schemas.ts";
import type { SelectedItem } from "../selections/selection.ts";

export type BulkRunRow = Selectable<Tables["bulk_runs"]>;

/** Runs that have not ended, of all projects. */
const MAX_UNFINISHED = 100;
/** Runs that are kept in the list. */
const KEPT = 1_000;
/** Failures that a run names. */
const MAX_FAILURES = 20;

const UNFINISHED = ["waiting", "running"] as const;

/** What is stored of a selection: row numbers; or parsed filters, with a range that ends when the run was started. */
export const StoredSelection = z.union([
	z.object({ rowIds: z.array(z.int()) }),
	z.object({
		filters: z.custom<SelectionFilters>((value) => typeof value === "object" && value !== null),
		/** The highest row number at the start. */
		lastRow: z.int(),
	}),
]);

/** What the actions need. */
export const RunParameters = z.object({
	destinationProjectId: z.int().optional(),
	datasetId: z.int().optional(),
	reviewQueueId: z.int().optional(),
	/** Of items of a review queue. */
	priority: z.int().optional(),
	/** No more than so many items are dealt with. */
	limit: z.int().optional(),
	splits: z.array(z.string()).optional(),
	annotation: z
		.object({
			name: z.string(),
			identifier: z.string(),
			annotatorKind: z.enum(ANNOTATOR_KINDS),
			label: z.string().nullable(),
			score: z.number().nullable(),
			explanation: z.string().nullable(),
			metadata: z.string(),
		})
		.optional(),
	source: z.enum(["APP", "API"]),
	/** Whether others than before may see what the run takes elsewhere, as `allow_wider_access` said. */
	allowWiderAccess: z.boolean().optional(),
	/** The limited key, or the grant of the program, that started the run, which ends with it. */
	keyId: z.int().optional(),
	grantId: z.int().optional(),
});

/** The items that a run deals with, and where the next ones begin. */
export interface Step {
	readonly items: readonly SelectedItem[];
	/** Absent when they are the last ones. */
	readonly next?: Keyset;
}

/** An item that the action could not be applied to. */
export interface Failure {
	readonly rowId: number;
	readonly reason: string;
}

/** Runs in projects that are seen, with the newest first, from `fromId` downwards. */
export async function listBulkRuns(
	db: Kysely<Tables>,
	rights: Rights,
	{ limit, fromId, projectId }: { limit: number; fromId?: number | undefined; projectId?: number | undefined },
): Promise<BulkRunRow[]> {
	let query = db
		.selectFrom("bulk_runs")
		.selectAll()
		.where(isSeenProject("project_id", rights))
		.orderBy("id", "desc")
		.limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (projectId !== undefined) query = query.where("project_id", "=", projectId);
	return await query.execute();
}

/** One in a project that the actor sees, who enters it. @throws UserError 404 */
export async function getBulkRun(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	id: number,
): Promise<BulkRunRow> {
	const row = await db.selectFrom("bulk_runs").selectAll().where("id", "=", id).executeTakeFirst();
	if (row !== undefined && enterSeen(actor, row.project_id)) return row;
	throw notFound("bulk_run_not_found", "There is no such run");
}

/** What a run needs in the project of what is selected. */
export const ROLE_FOR_ACTION = {
	delete: "editor",
	move: "editor",
	annotate: "annotator",
	add_to_dataset: "viewer",
	add_to_review_queue: "annotator",
} as const satisfies Readonly<Record<BulkRunRow["action"], ProjectRole>>;

/** The runs that have not ended, the oldest first. */
export async function listUnfinished(db: Kysely<Tables>): Promise<BulkRunRow[]> {
	return await db.selectFrom("bulk_runs").selectAll().where("state", "in", UNFINISHED).orderBy("id").execute();
}

interface NewBulkRun extends Pick<BulkRunRow, "project_id" | "action" | "kind" | "user_id"> {
	readonly selection: z.output<typeof StoredSelection>;
	readonly parameters: z.output<typeof RunParameters>;
	readonly now: number;
}

/** @throws UserError 404 when the project is gone, 409 when too many runs are unfinished */
export async function insertBulkRun(
	transaction: Transaction<Tables>,
	{ now, selection, parameters, ...values }: NewBulkRun,
): Promise<BulkRunRow> {
	const project = await transaction
		.selectFrom("projects")
		.select("id")
		.where("id", "=", values.project_id)
		.executeTakeFirst();
	if (project === undefined) throw notFound("project_not_found", "The project was deleted");
	const unfinished = await listUnfinished(transaction);
	if (unfinished.length >= MAX_UNFINISHED) {
		throw new UserError(
			409,
			"too_many_bulk_runs",
			`${unfinished.length} runs are unfinished; wait for them, or cancel some.`,
		);
	}
	const row = await transaction
		.insertInto("bulk_runs")
		.values({
			...values,
			selection: JSON.stringify(selection),
			parameters: JSON.stringify(parameters),
			state: "waiting",
			revision: 0,
			position: null,
			step: null,
			counted_items: 0,
			total_items: "rowIds" in selection ? selection.rowIds.length : null,
			done_items: 0,
			failed_items: 0,
			failures: "[]",
			error: null,
			created_at: now,
			updated_at: now,
		})
		.returningAll()
		.executeTakeFirstOrThrow();
	await transaction
		.deleteFrom("bulk_runs")
		.where("id", "<=", row.id - KEPT)
		.where("state", "not in", UNFINISHED)
		.execute();
	return row;
}

/** Cancels a run; one that has ended stays as it is. */
export async function cancelBulkRun(transaction: Transaction<Tables>, id: number, now: number): Promise<void> {
	await transaction
		.updateTable("bulk_runs")
		.set({ state: "cancelled", step: null, updated_at: now })
		.where("id", "=", id)
		.where("state", "in", UNFINISHED)
		.execute();
}

export type Advance = Partial<
	Pick<BulkRunRow, "state" | "position" | "step" | "counted_items" | "total_items" | "done_items" | "error">
>;

/**
 * Records progress, unless the run was cancelled meanwhile, or another process has advanced it beyond the state of
 * `row`, as this one lost its lease.
 * @returns the run as it is now; undefined when nothing was recorded
 */
export async function advance(
	transaction: Transaction<Tables>,
	row: BulkRunRow,
	change: Advance,
	{ failures = [], now }: { readonly failures?: readonly Failure[]; readonly now: number },
): Promise<BulkRunRow | undefined> {
	const named = [...parseFailures(row.failures), ...failures].slice(0, MAX_FAILURES);
	return await transaction
		.updateTable("bulk_runs")
		.set({
			state: "running",
			...change,
			failed_items: row.failed_items + failures.length,
			failures: JSON.stringify(named),
			revision: row.revision + 1,
			updated_at: now,
		})
		.where("id", "=", row.id)
		.where("revision", "=", row.revision)
		.where("state", "in", UNFINISHED)
		.returningAll()
		.executeTakeFirst();
}

/** Whether the run has neither been cancelled nor advanced by another process. */
export async function isCurrent(db: Kysely<Tables>, { id, revision }: BulkRunRow): Promise<boolean> {
	const row = await db
		.selectFrom("bulk_runs")
		.select("id")
		.where("id", "=", id)
		.where("revision", "=", revision)
		.where("state", "in", UNFINISHED)
		.executeTakeFirst();
	return row !== undefined;
}

export function parametersOf({ parameters }: Pick<BulkRunRow, "parameters">): z.output<typeof RunParameters> {
	return RunParameters.parse(JSON.parse(parameters));
}

export function parseFailures(text: string): readonly Failure[] {
	return z.array(z.object({ rowId: z.int(), reason: z.string() })).parse(JSON.parse(text));
}

const position = z.object({ id: z.number(), value: z.number() });

export function parsePosition(text: string | null): Keyset | undefined {
	return text === null ? undefined : position.parse(JSON.parse(text));
}

const step = z.object({
	items: z.array(
		z.object({
			rowId: z.int(),
			traceRowId: z.int().nullable(),
			spanRowId: z.int().nullable(),
			startMicros: z.number(),
			traceCount: z.int(),
			spanCount: z.int(),
		}),
	),
	next: position.optional(),
});

export function parseStep(text: string): Step {
	const { items, next } = step.parse(JSON.parse(text));
	return { items, ...(next === undefined ? {} : { next }) };
}

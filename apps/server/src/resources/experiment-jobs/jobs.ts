import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { notFound, UserError } from "#base/errors.ts";
import type { UserRole } from "#base/roles.ts";
import type { Actor } from "#http/actor.ts";
import { enterSeen } from "#http/enter-seen.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import type { Rights } from "#http/rights.ts";
import { isSeenHome } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";

/** A job with where its dataset lives; null is the library. */
export interface JobRow extends Selectable<Tables["experiment_jobs"]> {
	readonly home: number | null;
	/** Null when the dataset is gone. */
	readonly dataset_state: "uploading" | "ready" | "deleting" | null;
}

/** Whether the job's dataset was deleted, or is being deleted. */
export function isOfDeleted({ dataset_state }: Pick<JobRow, "dataset_state">): boolean {
	return dataset_state !== "ready";
}

export const JOB_STATES = ["waiting", "running", "paused", "done", "failed", "cancelled"] as const;
/** States of a job that may go on. */
export const UNFINISHED = ["waiting", "running", "paused"] as const;
export const ACTIVE = ["waiting", "running"] as const;

/** Why a job is paused. */
export const PAUSE_REASONS = [
	"asked",
	"cost_limit",
	"budget_exhausted",
	"failing",
	"storage_full",
	"connection_off",
	"connection_unconfirmed",
	"calls_off",
	"price_unknown",
	"restored",
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Jobs that have not ended, of all datasets. */
export const MAX_UNFINISHED_JOBS = 50;

function jobs(db: Kysely<Tables>) {
	return db
		.selectFrom("experiment_jobs")
		.leftJoin("datasets", "datasets.id", "experiment_jobs.dataset_id")
		.selectAll("experiment_jobs")
		.select(["datasets.project_id as home", "datasets.state as dataset_state"]);
}

/** Jobs on datasets that are seen, with the newest first, from `fromId` downwards. */
export async function listJobs(
	db: Kysely<Tables>,
	rights: Rights,
	query: {
		limit: number;
		fromId?: number | undefined;
		datasetId?: number | undefined;
		experimentId?: number | undefined;
		states?: readonly JobRow["state"][] | undefined;
	},
): Promise<JobRow[]> {
	let listed = jobs(db)
		.where("datasets.state", "=", "ready")
		.where(isSeenHome("datasets.project_id", rights))
		.orderBy("experiment_jobs.id", "desc")
		.limit(query.limit);
	if (query.fromId !== undefined) listed = listed.where("experiment_jobs.id", "<=", query.fromId);
	if (query.datasetId !== undefined) listed = listed.where("experiment_jobs.dataset_id", "=", query.datasetId);
	const { experimentId, states } = query;
	if (states !== undefined && states.length > 0) listed = listed.where("experiment_jobs.state", "in", states);
	if (experimentId !== undefined)
		listed = listed.where(({ exists, selectFrom }) =>
			exists(
				selectFrom("experiment_job_experiments as of_job")
					.select("of_job.job_id")
					.whereRef("of_job.job_id", "=", "experiment_jobs.id")
					.where("of_job.experiment_id", "=", experimentId),
			),
		);
	return await listed.execute();
}

/**
 * The job of a global id, on a dataset that the actor sees, who enters its home.
 * @throws UserError 422 for a text that is no id, 404 when there is no such job, 403 `project_role_needed`
 */
export async function getJob(
	db: Kysely<Tables>,
	actor: Pick<Actor, "rights" | "enter" | "noteHidden">,
	globalId: string,
): Promise<JobRow> {
	const id = decodeGlobalId(globalId, "ExperimentJob");
	if (id === undefined)
		throw new UserError(422, "invalid_experiment_job_id", `Invalid experiment job id: ${globalId.slice(0, 200)}`);
	const row = await findJob(db, id);
	if (row === undefined || isOfDeleted(row) || !enterSeen(actor, row.home))
		throw notFound("experiment_job_not_found", "There is no such experiment job");
	return row;
}

export async function findJob(db: Kysely<Tables>, id: number): Promise<JobRow | undefined> {
	return await jobs(db).where("experiment_jobs.id", "=", id).executeTakeFirst();
}

/** An unfinished job, as servers that work on it look at it again and again. */
export interface UnfinishedJob extends Omit<JobRow, "definition"> {
	/** Of who started it; null when nobody needed to log in, or that person is gone. */
	readonly role: UserRole | null;
}

/** The oldest first. */
export async function listUnfinished(db: Kysely<Tables>): Promise<UnfinishedJob[]> {
	return await db
		.selectFrom("experiment_jobs as job")
		.leftJoin("datasets", "datasets.id", "job.dataset_id")
		.leftJoin("users", "users.id", "job.user_id")
		.select([
			...(["job.id", "job.kind", "job.name", "job.state", "job.reason", "job.error", "job.revision"] as const),
			...(["job.dataset_id", "job.dataset_version_id", "job.max_cost_nanos", "job.total_runs"] as const),
			...(["job.principal", "job.user_id", "job.created_at", "job.updated_at"] as const),
			...(["datasets.project_id as home", "datasets.state as dataset_state", "users.role"] as const),
		])
		.where("job.state", "in", UNFINISHED)
		.orderBy("job.id")
		.execute();
}

/** @throws UserError 409 when too many jobs are unfinished */
export async function assertRoomForJob(db: Kysely<Tables>): Promise<void> {
	const { count } = await db
		.selectFrom("experiment_jobs")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("state", "in", UNFINISHED)
		.executeTakeFirstOrThrow();
	if (count < MAX_UNFINISHED_JOBS) return;
	const message = `${count} experiment jobs are unfinished, which is the most there may be: wait for some, or cancel them.`;
	throw new UserError(409, "too_many_experiment_jobs", message);
}

type Change = Partial<Pick<JobRow, "state" | "reason" | "error" | "max_cost_nanos">>;

/** Says that a job has begun; nobody has to know for whom it is a change. */
export async function beginJob(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction
		.updateTable("experiment_jobs")
		.set({ state: "running" })
		.where("id", "=", id)
		.where("state", "=", "waiting")
		.execute();
}

/**
 * Changes a job that is in one of the states `from`.
 * @param revision only if nobody has changed it since it had this one
 * @returns the job as it is now; undefined when it was in another state, and nothing changed
 */
export async function changeJob(
	transaction: Transaction<Tables>,
	id: number,
	from: readonly JobRow["state"][],
	change: Change,
	now: number,
	revision?: number,
): Promise<JobRow | undefined> {
	let update = transaction
		.updateTable("experiment_jobs")
		.set(({ ref }) => ({
			...change,
			revision: sql<number>`${ref("revision")} + 1`,
			updated_at: sql<number>`case when ${ref("updated_at")} < ${now} then ${now} else ${ref("updated_at")} + 1 end`,
		}))
		.where("id", "=", id)
		.where("state", "in", from);
	if (revision !== undefined) update = update.where("revision", "=", revision);
	const changed = await update.returning("id").executeTakeFirst();
	return changed === undefined ? undefined : await findJob(transaction, id);
}

/** The experiments of jobs, in the order of their variants. */
export async function findExperimentsOf(
	db: Kysely<Tables>,
	jobId: number,
): Promise<{ experiment_id: number; position: number; name: string }[]> {
	return await db
		.selectFrom("experiment_job_experiments as of_job")
		.innerJoin("experiments", "experiments.id", "of_job.experiment_id")
		.select(["of_job.experiment_id", "of_job.position", "experiments.name"])
		.where("of_job.job_id", "=", jobId)
		.orderBy("of_job.position")
		.execute();
}

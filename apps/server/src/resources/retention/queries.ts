import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from "kysely";
import type { Config } from "#base/config.ts";
import { notFound, UserError } from "#base/errors.ts";
import { decodeGlobalId } from "#http/global-ids.ts";
import { ALL_RIGHTS, type Rights } from "#http/rights.ts";
import { isSeenProject } from "#http/seen-homes.ts";
import type { Tables } from "#storage/schema.ts";
import { DEFAULT_CRON, nextTime } from "./cron.ts";

type PolicyRow = Selectable<Tables["retention_policies"]>;
export type RunRow = Selectable<Tables["retention_runs"]>;

/** The policy of projects that have none of their own: `SERVICE_DEFAULT_RETENTION_POLICY_DAYS`. It has no row. */
export const DEFAULT_POLICY = 0;
const DEFAULT_NAME = "Default";
/** Row of `state`: since when the default policy has its days, and when it was last run. */
const DEFAULT_STATE = "default_retention_policy";

/** How many runs are kept in the list. */
const KEPT_RUNS = 10_000;

export interface RetentionLimits {
	readonly max_days: number | null;
	readonly max_traces: number | null;
	readonly keep_annotated: boolean;
}

export interface Policy extends RetentionLimits {
	readonly id: number;
	readonly name: string;
	readonly cron: string;
	readonly project_count: number;
	readonly last_run_at: number | null;
	/** Null for the default policy. */
	readonly created_at: number | null;
	/** For the default policy: since when it has its current days; null if that was never recorded. */
	readonly updated_at: number | null;
}

/** Of the projects that are seen. */
const projectCount = (rights: Rights) =>
	sql<number>`(select count(*) from projects
		where retention_policy_id = retention_policies.id and ${isSeenProject("projects.id", rights)})`;

/**
 * Policies by row number, from `fromId` upwards, without the default one.
 * @param rights of who is told how many projects they have
 */
export async function listPolicies(
	db: Kysely<Tables>,
	{ limit, fromId = 0 }: { limit: number; fromId?: number | undefined },
	rights: Rights = ALL_RIGHTS,
): Promise<Policy[]> {
	const rows = await db
		.selectFrom("retention_policies")
		.selectAll()
		.select(projectCount(rights).as("project_count"))
		.where("id", ">=", fromId)
		.orderBy("id")
		.limit(limit)
		.execute();
	return rows.map(toPolicy);
}

/** @param rights of who is told how many projects it has */
export async function findPolicy(
	db: Kysely<Tables>,
	config: Config,
	id: number,
	rights: Rights = ALL_RIGHTS,
): Promise<Policy | undefined> {
	if (id === DEFAULT_POLICY) return await getDefaultPolicy(db, config, rights);
	const row = await db
		.selectFrom("retention_policies")
		.selectAll()
		.select(projectCount(rights).as("project_count"))
		.where("id", "=", id)
		.executeTakeFirst();
	return row === undefined ? undefined : toPolicy(row);
}

/**
 * The policy of a global id.
 * @param rights of who is told how many projects it has
 * @throws UserError 422 or 404
 */
export async function getPolicy(
	db: Kysely<Tables>,
	config: Config,
	text: string,
	rights: Rights = ALL_RIGHTS,
): Promise<Policy> {
	const policy = await findPolicy(db, config, parsePolicyId(text), rights);
	if (policy === undefined) throw policyNotFound(text);
	return policy;
}

/** @throws UserError 422 */
export function parsePolicyId(text: string): number {
	const id = decodeGlobalId(text, "ProjectTraceRetentionPolicy");
	if (id !== undefined) return id;
	throw new UserError(422, "invalid_retention_policy", `Invalid retention policy ID: ${text.slice(0, 100)}`);
}

export function policyNotFound(text: string): UserError {
	return notFound("retention_policy_not_found", `Retention policy with ID ${text.slice(0, 100)} not found`);
}

function toPolicy(row: PolicyRow & { project_count: number }): Policy {
	return { ...row, keep_annotated: row.keep_annotated === 1 };
}

interface DefaultState {
	readonly days: number;
	readonly since: number;
	readonly last_run_at: number | null;
}

/** @param rights of who is told how many projects it has */
export async function getDefaultPolicy(
	db: Kysely<Tables>,
	config: Config,
	rights: Rights = ALL_RIGHTS,
): Promise<Policy> {
	const days = config.SERVICE_DEFAULT_RETENTION_POLICY_DAYS;
	const { count } = await db
		.selectFrom("projects")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("retention_policy_id", "is", null)
		.where(isSeenProject("projects.id", rights))
		.executeTakeFirstOrThrow();
	const state = await readDefaultState(db);
	return {
		id: DEFAULT_POLICY,
		name: DEFAULT_NAME,
		cron: DEFAULT_CRON,
		max_days: days === 0 ? null : days,
		max_traces: null,
		keep_annotated: false,
		project_count: count,
		last_run_at: state?.last_run_at ?? null,
		created_at: null,
		updated_at: state?.since ?? null,
	};
}

async function readDefaultState(db: Kysely<Tables>): Promise<DefaultState | undefined> {
	const row = await db.selectFrom("state").select("value").where("name", "=", DEFAULT_STATE).executeTakeFirst();
	return row === undefined ? undefined : (JSON.parse(row.value) as DefaultState);
}

/** Records since when the default policy has its current days; its schedule counts from there. */
export async function noteDefaultPolicy(transaction: Transaction<Tables>, config: Config, now: number): Promise<void> {
	const days = config.SERVICE_DEFAULT_RETENTION_POLICY_DAYS;
	const state = await readDefaultState(transaction);
	if (state?.days === days) return;
	await writeDefaultState(transaction, { days, since: now, last_run_at: state?.last_run_at ?? null });
}

async function writeDefaultState(transaction: Transaction<Tables>, state: DefaultState): Promise<void> {
	const value = JSON.stringify(state);
	await transaction
		.insertInto("state")
		.values({ name: DEFAULT_STATE, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
}

/** When a policy is due next, microseconds since 1970; undefined for a policy without limits. */
export function nextRunOf(policy: Policy, now: number): number | undefined {
	if (policy.max_days === null && policy.max_traces === null) return undefined;
	return nextTime(policy.cron, Math.max(policy.last_run_at ?? 0, policy.updated_at ?? now));
}

/** @returns undefined when the name is taken */
export async function insertPolicy(
	transaction: Transaction<Tables>,
	{
		name,
		cron,
		max_days,
		max_traces,
		keep_annotated,
		now,
	}: RetentionLimits & { name: string; cron: string; now: number },
): Promise<Policy | undefined> {
	if (name === DEFAULT_NAME) return undefined;
	const row = await transaction
		.insertInto("retention_policies")
		.values({
			name,
			cron,
			max_days,
			max_traces,
			keep_annotated: keep_annotated ? 1 : 0,
			created_at: now,
			updated_at: now,
		})
		.onConflict((conflict) => conflict.column("name").doNothing())
		.returningAll()
		.executeTakeFirst();
	return row === undefined ? undefined : toPolicy({ ...row, project_count: 0 });
}

/** @throws UserError 409 when the new name is taken */
export async function updatePolicy(
	transaction: Transaction<Tables>,
	policy: Policy,
	changes: Updateable<Tables["retention_policies"]>,
): Promise<Policy> {
	const { name } = changes;
	if (name !== undefined && name !== policy.name) {
		const taken = await transaction
			.selectFrom("retention_policies")
			.select("id")
			.where("name", "=", name)
			.executeTakeFirst();
		if (taken !== undefined || name === DEFAULT_NAME) throw nameTaken(name);
	}
	const row = await transaction
		.updateTable("retention_policies")
		.set(changes)
		.where("id", "=", policy.id)
		.returningAll()
		.executeTakeFirstOrThrow();
	return toPolicy({ ...row, project_count: policy.project_count });
}

export function nameTaken(name: string): UserError {
	return new UserError(409, "retention_policy_exists", `A retention policy named ${name} already exists`);
}

/** Records that a policy was run at `now`. */
export async function noteRun(
	transaction: Transaction<Tables>,
	config: Config,
	policyId: number,
	now: number,
): Promise<void> {
	if (policyId === DEFAULT_POLICY) {
		const days = config.SERVICE_DEFAULT_RETENTION_POLICY_DAYS;
		const state = await readDefaultState(transaction);
		await writeDefaultState(transaction, { days, since: state?.since ?? now, last_run_at: now });
		return;
	}
	await transaction.updateTable("retention_policies").set({ last_run_at: now }).where("id", "=", policyId).execute();
}

/** Requests a run in each project of a policy. @returns all runs of the policy that have not ended */
export async function insertRuns(transaction: Transaction<Tables>, policyId: number, now: number): Promise<RunRow[]> {
	await transaction
		.insertInto("retention_runs")
		.columns(["policy_id", "project_id", "project_name", "started_at", "deleted_traces", "kept_traces"])
		.expression(
			transaction
				.selectFrom("projects")
				.select((project) => [
					project.val(policyId).as("policy_id"),
					"projects.id",
					"projects.name",
					project.val(now).as("started_at"),
					project.val(0).as("deleted_traces"),
					project.val(0).as("kept_traces"),
				])
				.where(
					"retention_policy_id",
					policyId === DEFAULT_POLICY ? "is" : "=",
					policyId === DEFAULT_POLICY ? null : policyId,
				)
				.where(({ not, exists, selectFrom }) =>
					not(
						exists(
							selectFrom("retention_runs")
								.select("retention_runs.id")
								.where("ended_at", "is", null)
								.where("policy_id", "=", policyId)
								.whereRef("project_id", "=", "projects.id"),
						),
					),
				)
				.orderBy("projects.id"),
		)
		.execute();
	await transaction
		.deleteFrom("retention_runs")
		.where("ended_at", "is not", null)
		.where("id", "<=", ({ selectFrom }) =>
			selectFrom("retention_runs").select(({ fn }) => sql<number>`${fn.max("id")} - ${KEPT_RUNS}`.as("id")),
		)
		.execute();
	return await transaction
		.selectFrom("retention_runs")
		.selectAll()
		.where("ended_at", "is", null)
		.where("policy_id", "=", policyId)
		.orderBy("id")
		.execute();
}

/**
 * Runs in projects that are seen, with the newest first, from `fromId` downwards. Who does not see all projects sees none
 * of deleted ones, as nothing says any more who saw these.
 */
export async function listRuns(
	db: Kysely<Tables>,
	rights: Rights,
	{ limit, fromId, projectId, policyId }: RunFilter,
): Promise<RunRow[]> {
	let query = db.selectFrom("retention_runs").selectAll().orderBy("id", "desc").limit(limit);
	if (fromId !== undefined) query = query.where("id", "<=", fromId);
	if (projectId !== undefined) query = query.where("project_id", "=", projectId);
	if (policyId !== undefined) query = query.where("policy_id", "=", policyId);
	if (rights.projects !== "all")
		query = query
			.where(isSeenProject("project_id", rights))
			.where("project_id", "in", (from) => from.selectFrom("projects").select("projects.id"));
	return await query.execute();
}

interface RunFilter {
	readonly limit: number;
	readonly fromId?: number | undefined;
	readonly projectId?: number | undefined;
	readonly policyId?: number | undefined;
}

/** The oldest run that has not ended. */
export async function findUnfinishedRun(db: Kysely<Tables>): Promise<RunRow | undefined> {
	return await db
		.selectFrom("retention_runs")
		.selectAll()
		.where("ended_at", "is", null)
		.orderBy("id")
		.limit(1)
		.executeTakeFirst();
}

/** Runs that have not ended, the oldest first. */
export async function listUnfinishedRuns(db: Kysely<Tables>): Promise<RunRow[]> {
	return await db.selectFrom("retention_runs").selectAll().where("ended_at", "is", null).orderBy("id").execute();
}

/** A run that continues after a restart counts kept traces anew; its count of deleted ones stays. */
export async function startRun(transaction: Transaction<Tables>, id: number): Promise<void> {
	await transaction.updateTable("retention_runs").set({ kept_traces: 0 }).where("id", "=", id).execute();
}

export async function addToRun(
	transaction: Transaction<Tables>,
	id: number,
	{ deleted, kept }: { deleted: number; kept: number },
): Promise<void> {
	await transaction
		.updateTable("retention_runs")
		.set((run) => ({
			deleted_traces: run("deleted_traces", "+", deleted),
			kept_traces: run("kept_traces", "+", kept),
		}))
		.where("id", "=", id)
		.execute();
}

/** @param error why it ended early */
export async function endRun(
	transaction: Transaction<Tables>,
	id: number,
	error: string | null,
	now: number,
): Promise<RunRow | undefined> {
	return await transaction
		.updateTable("retention_runs")
		.set({ ended_at: now, error })
		.where("id", "=", id)
		.returningAll()
		.executeTakeFirst();
}

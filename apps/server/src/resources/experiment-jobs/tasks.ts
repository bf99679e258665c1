import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { DATABASE_MICROS } from "#models/ledger/database-clock.ts";
import { either } from "#storage/either.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

export type TaskRow = Selectable<Tables["experiment_job_tasks"]>;

/** A task whose holder has not said for so long that it still works belongs to whoever takes it. */
const HELD_MICROS = 30_000_000;

/** So many tasks are looked at for those of some evaluators. */
const LOOKED_AT = 1_000;

/** `evaluator` is the position in the job's definition. */
export type NewTask = Pick<
	TaskRow,
	"job_id" | "experiment_id" | "kind" | "example_id" | "repetition_number" | "run_id" | "evaluator"
>;

/** Adds tasks, in order. */
export async function insertTasks(transaction: Transaction<Tables>, tasks: readonly NewTask[]): Promise<void> {
	// 12 values a row: below the variables of a statement of either database.
	for (let begin = 0; begin < tasks.length; begin += 1_000)
		await transaction
			.insertInto("experiment_job_tasks")
			.values(
				tasks.slice(begin, begin + 1_000).map((task) => ({
					...task,
					...{ state: "ready", attempts: 0, ended_at: null },
					...{ holder: null, held_until: null, error_code: null, error: null },
				})),
			)
			.execute();
}

/**
 * Takes the next tasks of a job for `holder`: evaluations of what has been run first, then runs in their order. On
 * PostgreSQL it leaves out those that another server is taking.
 * @param evaluators only evaluations by these, or all tasks but those, among the next {@link LOOKED_AT}
 */
export async function takeTasks(
	transaction: Transaction<Tables>,
	jobId: number,
	holder: string,
	{
		limit,
		evaluators,
	}: {
		readonly limit: number;
		readonly evaluators?: { readonly only: readonly number[] } | { readonly but: readonly number[] };
	},
): Promise<TaskRow[]> {
	if (limit <= 0) return [];
	const next = sql`
		select id, kind, evaluator from experiment_job_tasks
		where job_id = ${jobId} and state = 'ready'
		order by kind, id
		limit ${evaluators === undefined ? limit : LOOKED_AT}
		${either({ sqlite: sql``, postgres: sql`for update skip locked` })}`;
	const those =
		evaluators === undefined
			? sql`true`
			: "only" in evaluators
				? sql`evaluator in ${listed(evaluators.only)}`
				: sql`(evaluator is null or evaluator not in ${listed(evaluators.but)})`;
	const taken = await transaction
		.updateTable("experiment_job_tasks")
		.set(({ ref }) => ({
			state: "running",
			holder,
			held_until: sql<number>`${DATABASE_MICROS} + ${HELD_MICROS}`,
			attempts: sql<number>`${ref("attempts")} + 1`,
		}))
		.where("id", "in", sql<number>`(select id from (${next}) as next where ${those} order by kind, id limit ${limit})`)
		.returningAll()
		.execute();
	return taken.sort((a, b) => a.id - b.id);
}

/** Says that `holder` still works on these of its tasks. */
export async function keepTasks(
	transaction: Transaction<Tables>,
	holder: string,
	taskIds: readonly number[],
): Promise<void> {
	await transaction
		.updateTable("experiment_job_tasks")
		.set({ held_until: sql<number>`${DATABASE_MICROS} + ${HELD_MICROS}` })
		.where("id", "in", listed(taskIds))
		.where("holder", "=", holder)
		.where("state", "=", "running")
		.execute();
}

/**
 * Gives back the tasks of holders that have not said for {@link HELD_MICROS} that they work: their servers died.
 * @param onlyHolder where one process uses the database: everybody else is gone
 * @returns how many there were
 */
export async function releaseAbandoned(
	transaction: Transaction<Tables>,
	onlyHolder: string | undefined,
): Promise<number> {
	const released = await transaction
		.updateTable("experiment_job_tasks")
		.set({ state: "ready", holder: null, held_until: null })
		.where("state", "=", "running")
		.where(({ eb, or }) =>
			or([
				eb("held_until", "<", DATABASE_MICROS),
				...(onlyHolder === undefined ? [] : [eb("holder", "<>", onlyHolder)]),
			]),
		)
		.executeTakeFirst();
	return Number(released.numUpdatedRows);
}

/** How a task ended; `ready` gives it back, to be done again. */
export type TaskEnd =
	| { readonly state: "done" | "ready" }
	| { readonly state: "failed" | "skipped"; readonly code: string; readonly error: string };

/** A task with how it ended. */
export interface EndedTask {
	readonly task: Pick<TaskRow, "id">;
	readonly end: TaskEnd;
}

/** @returns the tasks that `holder` still had; nothing changed for the others */
export async function endTasks(
	transaction: Transaction<Tables>,
	ended: readonly EndedTask[],
	{ holder, now }: { readonly holder: string; readonly now: number },
): Promise<ReadonlySet<number>> {
	const held = new Set<number>();
	for (const alike of Map.groupBy(ended, ({ end }) => JSON.stringify(end)).values()) {
		const [{ end }] = alike as [EndedTask];
		const ids = alike.map(({ task }) => task.id);
		const rows = await ofHolder(transaction, ids, holder)
			.set({
				...NOBODYS,
				state: end.state,
				ended_at: end.state === "ready" ? null : now,
				error_code: "code" in end ? end.code : null,
				error: "error" in end ? end.error : null,
			})
			.returning("id")
			.execute();
		for (const { id } of rows) held.add(id);
	}
	return held;
}

/** Gives back tasks that were taken and not begun. */
export async function giveBackTasks(
	transaction: Transaction<Tables>,
	taskIds: readonly number[],
	holder: string,
): Promise<void> {
	await ofHolder(transaction, taskIds, holder)
		.set(({ ref }) => ({ ...NOBODYS, state: "ready", attempts: sql<number>`${ref("attempts")} - 1` }))
		.execute();
}

const NOBODYS = { holder: null, held_until: null };

function ofHolder(transaction: Transaction<Tables>, taskIds: readonly number[], holder: string) {
	return transaction
		.updateTable("experiment_job_tasks")
		.where("id", "in", listed(taskIds))
		.where("holder", "=", holder)
		.where("state", "=", "running");
}

/** Tasks of a job that has been cancelled are left undone. */
export async function skipReady(transaction: Transaction<Tables>, jobId: number, code: string): Promise<void> {
	await transaction
		.updateTable("experiment_job_tasks")
		.set({ state: "skipped", error_code: code })
		.where("job_id", "=", jobId)
		.where("state", "=", "ready")
		.execute();
}

/** Has the failed tasks of a job done again. @returns how many there are */
export async function retryFailed(transaction: Transaction<Tables>, jobId: number): Promise<number> {
	const again = await transaction
		.updateTable("experiment_job_tasks")
		.set({ state: "ready", ended_at: null, error_code: null, error: null })
		.where("job_id", "=", jobId)
		.where("state", "=", "failed")
		.executeTakeFirst();
	return Number(again.numUpdatedRows);
}

/** Tasks of one kind by state, and those that were begun more than once. */
export interface TaskCounts {
	readonly ready: number;
	readonly running: number;
	readonly done: number;
	readonly failed: number;
	readonly skipped: number;
	readonly retried: number;
}

const NO_TASKS: TaskCounts = { ready: 0, running: 0, done: 0, failed: 0, skipped: 0, retried: 0 };

export interface JobCounts {
	readonly runs: TaskCounts;
	readonly evaluations: TaskCounts;
}

/** By row number of the jobs. */
export async function countTasks(db: Kysely<Tables>, jobIds: readonly number[]): Promise<(jobId: number) => JobCounts> {
	const rows = await db
		.selectFrom("experiment_job_tasks")
		.select(({ fn }) => [
			"job_id",
			"kind",
			"state",
			fn.countAll<number>().as("count"),
			sql<number>`sum(case when attempts > 1 then 1 else 0 end)`.as("retried"),
		])
		.where("job_id", "in", listed(jobIds))
		.groupBy(["job_id", "kind", "state"])
		.execute();
	return (jobId) => {
		const of = (kind: TaskRow["kind"]) => {
			const counts = { ...NO_TASKS };
			for (const row of rows) {
				if (row.job_id !== jobId || row.kind !== kind) continue;
				counts[row.state] = Number(row.count);
				counts.retried += Number(row.retried);
			}
			return counts;
		};
		return { runs: of("run"), evaluations: of("evaluation") };
	};
}

/** Whether nothing of a job is left to do. */
export async function isExhausted(db: Kysely<Tables>, jobId: number): Promise<boolean> {
	const left = await db
		.selectFrom("experiment_job_tasks")
		.select("id")
		.where("job_id", "=", jobId)
		.where("state", "in", ["ready", "running"])
		.limit(1)
		.executeTakeFirst();
	return left === undefined;
}

/** The ends of a job's latest tasks since a time, the newest first. */
export async function listLatestEnds(
	db: Kysely<Tables>,
	{ jobId, since, limit }: { readonly jobId: number; readonly since: number; readonly limit: number },
): Promise<Pick<TaskRow, "state" | "error_code" | "error">[]> {
	return await db
		.selectFrom("experiment_job_tasks")
		.select(["state", "error_code", "error"])
		.where("job_id", "=", jobId)
		.where("ended_at", ">=", since)
		.orderBy("ended_at", "desc")
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
}

/** Tasks of a job that ended since a time. */
export async function countEndsSince(db: Kysely<Tables>, jobId: number, since: number): Promise<number> {
	const { count } = await db
		.selectFrom("experiment_job_tasks")
		.select(({ fn }) => fn.countAll<number>().as("count"))
		.where("job_id", "=", jobId)
		.where("ended_at", ">=", since)
		.executeTakeFirstOrThrow();
	return Number(count);
}

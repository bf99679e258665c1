import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import { GroupedWrites } from "#storage/grouped-writes.ts";
import { jobOfEachProcess, wakeForOthers } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import type { Needed } from "./do-task.ts";
import { FailuresInARow } from "./failing.ts";
import { ACTIVE, beginJob, changeJob, findJob, isOfDeleted, listUnfinished, type UnfinishedJob } from "./jobs.ts";
import { type JobAtWork, type JobPlan, readPlan } from "./plan.ts";
import type { DoneTask } from "./record-results.ts";
import type { TaskOutcome, TaskResult } from "./task-result.ts";
import { endTasks, isExhausted, keepTasks, releaseAbandoned, skipReady, type TaskRow, takeTasks } from "./tasks.ts";

/** Interval of looking at jobs: changes of their state take effect within it. */
const EVERY_MS = 1_000;
/** How often a server says that it works on its tasks, and looks for those of servers that died. */
const KEEP_MS = 10_000;
/** Tasks that end within so long are followed by others in one look at the jobs. */
const GATHER_MS = 10;
/** Tasks of built-in evaluators that are taken together. */
const BUILT_INS = 500;

interface Running {
	readonly task: TaskRow;
	readonly abort: AbortController;
	readonly ended: Promise<void>;
}

/** Tasks of built-in evaluators that are under way. */
interface BuiltInWork {
	readonly jobId: number;
	readonly tasks: readonly TaskRow[];
	readonly abort: AbortController;
	readonly ended: Promise<void>;
}

/**
 * Carries out the tasks of experiment jobs, those of each job in turn, as many at a time as
 * `SERVICE_EVALUATION_CONCURRENCY` says, and beside them those of built-in evaluators, of one job at a time. Every server
 * takes tasks; those of one that died are taken by another. What does them is loaded with the first one.
 */
export class ExperimentJobs implements AsyncDisposable {
	readonly #context: WritingContext;
	/** Names this process among all that ever took tasks. */
	readonly #holder = randomUUID();
	readonly #running = new Map<number, Running>();
	#builtIns: BuiltInWork | undefined;
	/** Of unfinished jobs. */
	readonly #plans = new Map<number, JobPlan>();
	readonly #results: GroupedWrites<DoneTask, void>;
	readonly #look: AsyncDisposable & { wake(): void };
	readonly #subscriptions: (() => void)[];
	#lastKept = Number.NEGATIVE_INFINITY;
	#soon: NodeJS.Timeout | undefined;
	/** The job whose turn it was last. */
	#lastJob = 0;

	constructor(context: WritingContext) {
		this.#context = context;
		const { db, now } = context;
		this.#results = new GroupedWrites<DoneTask, void>(db, async (transaction, done) => {
			const { recordResults } = await import("./record-results.ts");
			await recordResults(transaction, done, { holder: this.#holder, now: now() });
			return [];
		});
		const work = jobOfEachProcess(context, "experiment jobs", EVERY_MS, (stopped) => this.#lookAtJobs(stopped));
		this.#look = work;
		const wake = () => work.wake();
		context.events.on("experiment_job_asked", wake);
		this.#subscriptions = [
			() => context.events.off("experiment_job_asked", wake),
			wakeForOthers(context, "experiment_job", work),
		];
	}

	async #lookAtJobs(stopped: AbortSignal): Promise<void> {
		const { capacity, config, stopping } = this.#context;
		if (config.SERVICE_EVALUATION_CONCURRENCY === 0) return;
		await this.#keep();
		// Its calls are cancelled: what it took now would only be given back.
		if (stopping.aborted) return;
		const unfinished = await this.#followStorage(capacity.isBlocked);
		const jobs = unfinished.filter(({ state }) => state !== "paused");
		this.#forgetPlans(unfinished);
		await this.#stopTasksOf(unfinished);
		if (stopped.aborted || capacity.isBlocked) return;
		const turns = inTurns(jobs, this.#lastJob);
		for (const [at, job] of turns.entries()) {
			const free = config.SERVICE_EVALUATION_CONCURRENCY - this.#running.size;
			if (free <= 0 && this.#builtIns !== undefined) return;
			// Each job gets its part of what is free; the last one in turn, the rest.
			const part = Math.min(free, Math.max(1, Math.floor(free / (turns.length - at))));
			const atWork = await this.#atWork(job);
			if (atWork === undefined) continue;
			if ((await this.#begin(atWork, part)) === 0 && part > 0) await this.#endIfExhausted(job);
			this.#lastJob = job.id;
		}
	}

	/** Undefined when it is gone. */
	async #atWork(job: UnfinishedJob): Promise<JobAtWork | undefined> {
		const { auth, db } = this.#context;
		const plan = this.#plans.get(job.id) ?? (await readPlan(db.read, job.id));
		if (plan === undefined) return undefined;
		this.#plans.set(job.id, plan);
		return { ...job, ...plan, isAdmin: !auth.enabled || job.role === "ADMIN" };
	}

	#forgetPlans(unfinished: readonly UnfinishedJob[]): void {
		const ids = new Set(unfinished.map(({ id }) => id));
		for (const id of this.#plans.keys()) if (!ids.has(id)) this.#plans.delete(id);
	}

	/** @param limit of tasks beside those of built-in evaluators @returns how many tasks of the job were begun */
	async #begin(job: JobAtWork, limit: number): Promise<number> {
		const { db, stopping } = this.#context;
		const { builtIns } = job;
		const hasBuiltIns = builtIns.length > 0;
		const builtInLimit = hasBuiltIns && this.#builtIns === undefined ? BUILT_INS : 0;
		if (limit <= 0 && builtInLimit === 0) return 0;
		const [ofBuiltIns, tasks] = await db.write(async (transaction) => {
			const take = (those: Parameters<typeof takeTasks>[3]) => takeTasks(transaction, job.id, this.#holder, those);
			const ofBuiltIns = await take({ limit: builtInLimit, evaluators: { only: builtIns } });
			const tasks = await take({ limit, ...(hasBuiltIns ? { evaluators: { but: builtIns } } : {}) });
			if (ofBuiltIns.length + tasks.length > 0 && job.state === "waiting") await beginJob(transaction, job.id);
			return [ofBuiltIns, tasks] as const;
		});
		if (ofBuiltIns.length > 0) {
			const abort = new AbortController();
			const ended = this.#evaluateBuiltIns(ofBuiltIns, job, AbortSignal.any([abort.signal, stopping]));
			this.#builtIns = { jobId: job.id, tasks: ofBuiltIns, abort, ended };
		}
		if (tasks.length === 0) return ofBuiltIns.length;
		const needed = this.#findNeeded(job, tasks);
		for (const task of tasks) {
			const abort = new AbortController();
			const signal = AbortSignal.any([abort.signal, stopping]);
			this.#running.set(task.id, { task, abort, ended: this.#carryOut(task, job, needed, signal) });
		}
		return ofBuiltIns.length + tasks.length;
	}

	async #findNeeded(job: JobAtWork, tasks: readonly TaskRow[]): Promise<Needed> {
		const { findNeeded } = await import("./do-task.ts");
		return await findNeeded(this.#context, job, tasks);
	}

	async #carryOut(task: TaskRow, job: JobAtWork, needed: Promise<Needed>, signal: AbortSignal): Promise<void> {
		const { log } = this.#context;
		try {
			const result = await this.#doTask(task, job, needed, signal);
			if (result?.pause !== undefined) await this.#pause(job, result.pause);
			else if (result?.mayRepeat === false) await this.#pauseIfFailing(job);
		} catch (error) {
			// Nobody says any more that it is worked on, so that it is given back.
			log.error(
				{ err: error, job: task.job_id, task: task.id },
				"a task of an experiment job failed; it is done again",
			);
		} finally {
			this.#running.delete(task.id);
			this.#lookSoon();
		}
	}

	/** Does one task and records how it ended, in one transaction with what came of it. */
	async #doTask(
		task: TaskRow,
		job: JobAtWork,
		needed: Promise<Needed>,
		signal: AbortSignal,
	): Promise<TaskResult | undefined> {
		try {
			const { doTask } = await import("./do-task.ts");
			const result = await doTask(this.#context, { task, job, needed: await needed }, signal);
			if (result !== undefined) await this.#results.write({ task, job, result });
			return result;
		} finally {
			if (signal.aborted) await this.#giveBack(task);
		}
	}

	/** What was interrupted is given back, or left undone with its job; what has ended is not this server's any more. */
	async #giveBack(task: TaskRow): Promise<void> {
		const { db, now } = this.#context;
		await db.write(async (transaction) => {
			await endTasks(transaction, [{ task, end: { state: "ready" } }], { holder: this.#holder, now: now() });
			await skipReadyOfEnded(transaction, task.job_id);
		});
	}

	async #evaluateBuiltIns(tasks: readonly TaskRow[], job: JobAtWork, signal: AbortSignal): Promise<void> {
		const { db, log } = this.#context;
		try {
			const { evaluateBuiltIns } = await import("./evaluate-built-ins.ts");
			const pause = await evaluateBuiltIns(this.#context, job, tasks, { holder: this.#holder, signal });
			if (pause !== undefined) await this.#pause(job, pause);
			if (signal.aborted) await db.write((transaction) => skipReadyOfEnded(transaction, job.id));
		} catch (error) {
			log.error({ err: error, job: job.id }, "tasks of an experiment job failed; they are done again");
		} finally {
			this.#builtIns = undefined;
			this.#lookSoon();
		}
	}

	#lookSoon(): void {
		this.#soon ??= setTimeout(() => {
			this.#soon = undefined;
			this.#look.wake();
		}, GATHER_MS);
	}

	/** Unless somebody has changed the job since the task was begun, such as raised its limit. */
	async #pause({ id, revision }: UnfinishedJob, pause: NonNullable<TaskOutcome["pause"]>): Promise<void> {
		const { db, now } = this.#context;
		const change = { state: "paused", ...pause } as const;
		await db.write((transaction) => changeJob(transaction, id, ACTIVE, change, now(), revision));
	}

	async #pauseIfFailing(job: UnfinishedJob): Promise<void> {
		const { pause } = await FailuresInARow.find(this.#context.db.read, job);
		if (pause !== undefined) await this.#pause(job, pause);
	}

	async #endIfExhausted(job: UnfinishedJob): Promise<void> {
		const { db, now } = this.#context;
		if (!(await isExhausted(db.read, job.id))) return;
		await db.write(async (transaction) => {
			if (!(await isExhausted(transaction, job.id))) return;
			// Its tasks went with the dataset.
			const current = await findJob(transaction, job.id);
			if (current === undefined || isOfDeleted(current)) return await failOfDeleted(transaction, job.id, now());
			await changeJob(transaction, job.id, ACTIVE, { state: "done", reason: null, error: null }, now());
		});
	}

	/** What is being done for a job that was cancelled or whose dataset is gone is not paid any longer. */
	async #stopTasksOf(unfinished: readonly UnfinishedJob[]): Promise<void> {
		const { db, now } = this.#context;
		const active = unfinished.filter(({ state }) => state !== "paused");
		for (const job of active) {
			if (isOfDeleted(job)) await db.write((transaction) => failOfDeleted(transaction, job.id, now()));
		}
		const activeIds = new Set(active.filter((job) => !isOfDeleted(job)).map(({ id }) => id));
		const pausedIds = new Set(unfinished.filter(({ state }) => state === "paused").map(({ id }) => id));
		for (const { task, abort } of this.#running.values())
			if (!activeIds.has(task.job_id) && !pausedIds.has(task.job_id)) abort.abort();
		const { jobId, abort } = this.#builtIns ?? {};
		// Nothing of theirs is lost, so that they end with a pause, too.
		if (jobId !== undefined && !activeIds.has(jobId)) abort?.abort();
	}

	/** No call is made whose result could not be kept. @returns unfinished jobs as they are then */
	async #followStorage(isFull: boolean): Promise<readonly UnfinishedJob[]> {
		const { db, now } = this.#context;
		const unfinished = await listUnfinished(db.read);
		const concerned = unfinished.filter(({ state, reason }) =>
			isFull ? state !== "paused" : state === "paused" && reason === "storage_full",
		);
		if (concerned.length === 0) return unfinished;
		const error = "The storage is full: it goes on when there is room again.";
		const change = isFull
			? ({ state: "paused", reason: "storage_full", error } as const)
			: ({ state: "running", reason: null, error: null } as const);
		await db.write(async (transaction) => {
			for (const { id } of concerned) await changeJob(transaction, id, isFull ? ACTIVE : ["paused"], change, now());
		});
		return await listUnfinished(db.read);
	}

	async #keep(): Promise<void> {
		if (performance.now() - this.#lastKept < KEEP_MS) return;
		const { db } = this.#context;
		const ids = [...this.#running.keys(), ...(this.#builtIns?.tasks ?? []).map(({ id }) => id)];
		await db.write(async (transaction) => {
			if (ids.length > 0) await keepTasks(transaction, this.#holder, ids);
			await releaseAbandoned(transaction, db.isShared ? undefined : this.#holder);
		});
		this.#lastKept = performance.now();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const end of this.#subscriptions) end();
		await this.#look[Symbol.asyncDispose]();
		for (const { abort } of this.#running.values()) abort.abort();
		this.#builtIns?.abort.abort();
		await Promise.all([...[...this.#running.values()].map(({ ended }) => ended), this.#builtIns?.ended]);
		clearTimeout(this.#soon);
	}
}

/** Tasks that were given back after their job had ended are left undone with it. */
async function skipReadyOfEnded(transaction: Transaction<Tables>, jobId: number): Promise<void> {
	const { state } = (await findJob(transaction, jobId)) ?? {};
	if (state === "cancelled" || state === "failed") await skipReady(transaction, jobId, state);
}

async function failOfDeleted(transaction: Transaction<Tables>, jobId: number, now: number): Promise<void> {
	const error = "The dataset was deleted while the job was under way.";
	await changeJob(transaction, jobId, ACTIVE, { state: "failed", reason: "dataset_deleted", error }, now);
	await skipReady(transaction, jobId, "dataset_deleted");
}

/** The job after the last one that had its turn comes first. */
function inTurns(jobs: readonly UnfinishedJob[], last: number): readonly UnfinishedJob[] {
	const next = jobs.findIndex(({ id }) => id > last);
	return next === -1 ? jobs : [...jobs.slice(next), ...jobs.slice(0, next)];
}

import type { WritingContext } from "#context.ts";
import { leasedJob, letOthersWrite, mayContinue, wakeForOthers } from "#storage/repeated-job.ts";
import { findProject } from "../projects/queries.ts";
import {
	addToRun,
	DEFAULT_POLICY,
	endRun,
	findPolicy,
	findUnfinishedRun,
	getDefaultPolicy,
	insertRuns,
	listPolicies,
	listUnfinishedRuns,
	nextRunOf,
	noteDefaultPolicy,
	noteRun,
	type Policy,
	type RunRow,
	startRun,
} from "./queries.ts";
import { ruleOf } from "./rule.ts";

type RetentionContext = Pick<WritingContext, "cluster" | "config" | "db" | "events" | "log" | "now" | "traces">;

const EVERY_MS = 20_000;
const POLICIES_AT_A_TIME = 1_000;

/**
 * Runs retention policies when they are due or requested. Schedules missed while the server was off are made up for
 * by one run. Runs that a stopped server left are continued.
 */
export function runRetention(context: RetentionContext): AsyncDisposable {
	const { config, db, events, now } = context;
	let isNoted = false;
	const work = leasedJob(context, "retention", EVERY_MS, async (stopped) => {
		if (!isNoted) await db.write((transaction) => noteDefaultPolicy(transaction, config, now()));
		isNoted = true;
		await askForDueRuns(context);
		await dropExpired(context, stopped);
		let failed = 0;
		for (let run = await findUnfinishedRun(db.read); run !== undefined && !stopped.aborted; ) {
			if (!(await carryOut(context, run, stopped))) failed += 1;
			run = await findUnfinishedRun(db.read);
		}
		if (failed > 0) throw new Error(`${failed} runs of retention policies ended with an error`);
	});
	const wake = () => work.wake();
	events.on("retention_run_asked", wake);
	const stopWaking = wakeForOthers(context, "retention", work);
	return {
		async [Symbol.asyncDispose]() {
			events.off("retention_run_asked", wake);
			stopWaking();
			await work[Symbol.asyncDispose]();
		},
	};
}

async function askForDueRuns({ config, db, now }: RetentionContext): Promise<void> {
	const at = now();
	for await (const policy of allPolicies({ config, db })) {
		const due = nextRunOf(policy, at);
		if (due === undefined || due > at) continue;
		await db.write(async (transaction) => {
			await noteRun(transaction, config, policy.id, at);
			await insertRuns(transaction, policy.id, at);
		});
	}
}

async function* allPolicies({ config, db }: Pick<WritingContext, "config" | "db">): AsyncGenerator<Policy> {
	yield await getDefaultPolicy(db.read, config);
	for (let fromId = 0; ; ) {
		const policies = await listPolicies(db.read, { limit: POLICIES_AT_A_TIME, fromId });
		yield* policies;
		const last = policies.at(-1);
		if (last === undefined || policies.length < POLICIES_AT_A_TIME) return;
		fromId = last.id + 1;
	}
}

/** Drops what can be deleted at once for all projects with unfinished runs; carrying out each run deletes the rest. */
async function dropExpired(context: RetentionContext, stopped: AbortSignal): Promise<void> {
	const { db, now, traces } = context;
	if (traces.dropExpired === undefined) return;
	const runs: { readonly run: RunRow; readonly limits: Policy }[] = [];
	for (const run of await listUnfinishedRuns(db.read)) {
		const limits = await findLimits(context, run);
		if (typeof limits !== "string") runs.push({ run, limits });
	}
	if (runs.length === 0) return;
	const at = now();
	const rules = runs.map(({ run, limits }) => ruleOf(run.project_id, limits, at));
	await traces.dropExpired(rules, async (deleted) => {
		for (const { run } of runs) {
			const batch = { deleted: deleted.get(run.project_id) ?? 0, kept: 0 };
			if (batch.deleted > 0) await db.write((transaction) => addToRun(transaction, run.id, batch));
		}
		// The policies must not have changed before the next step.
		for (const { run, limits } of runs) {
			const still = await findLimits(context, run);
			if (typeof still === "string" || !isSame(still, limits)) return false;
		}
		return !stopped.aborted;
	});
}

/** @returns whether it succeeded */
async function carryOut(context: RetentionContext, run: RunRow, stopped: AbortSignal): Promise<boolean> {
	const { db, log, now, traces } = context;
	let isSound = true;
	let outcome: string | null = null;
	try {
		const limits = await findLimits(context, run);
		if (typeof limits === "string") outcome = limits;
		else {
			await db.write((transaction) => startRun(transaction, run.id));
			let began = performance.now();
			await traces.deleteExpired(ruleOf(run.project_id, limits, now()), async (batch) => {
				const workedMs = performance.now() - began;
				if (batch.deleted + batch.kept > 0) await db.write((transaction) => addToRun(transaction, run.id, batch));
				if (stopped.aborted) return false;
				const still = await findLimits(context, run);
				if (typeof still === "string") outcome = still;
				else if (!isSame(still, limits)) outcome = "The policy was changed meanwhile";
				await letOthersWrite(workedMs);
				began = performance.now();
				return outcome === null && !stopped.aborted;
			});
		}
	} catch (error) {
		if (mayContinue(error)) throw error;
		isSound = false;
		outcome = "It failed; the server's log says why";
		log.error({ err: error, project: run.project_name }, "a retention policy could not delete what it should");
	}
	// A stopped run is continued at the next start.
	if (stopped.aborted && outcome === null) return true;
	const ended = await db.write((transaction) => endRun(transaction, run.id, outcome, now()));
	const { project_name: project, deleted_traces: deleted, kept_traces: kept } = ended ?? run;
	if (deleted > 0) log.info({ project, deleted, kept }, "deleted expired traces");
	return isSound;
}

/** The current policy of a run, or why the run has to end. */
async function findLimits({ config, db }: RetentionContext, run: RunRow): Promise<Policy | string> {
	const project = await findProject(db.read, run.project_id);
	if (project === undefined) return "The project was deleted";
	const policy = await findPolicy(db.read, config, run.policy_id);
	if (policy === undefined) return "The policy was deleted";
	if ((project.retention_policy_id ?? DEFAULT_POLICY) !== run.policy_id) return "The project has another policy now";
	return policy;
}

function isSame(a: Policy, b: Policy): boolean {
	return a.max_days === b.max_days && a.max_traces === b.max_traces && a.keep_annotated === b.keep_annotated;
}

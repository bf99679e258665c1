import { setTimeout as sleep } from "node:timers/promises";
import type { WritingContext } from "#context.ts";
import { leasedJob, mayContinue, wakeForOthers } from "#storage/repeated-job.ts";
import type { RepairProgress } from "#storage/trace-repairs.ts";
import { advanceRepair, findUnfinished, parsePosition, type RepairRow } from "./repair-runs.ts";

type RepairContext = Pick<WritingContext, "cluster" | "db" | "events" | "log" | "now" | "repairs">;

/** Interval of polling for unfinished repairs; an event announces new ones. */
const EVERY_MS = 10_000;
const NOTE_EVERY_MS = 1_000;
/** How long a repair rests after each step, as long as that took: receiving goes first. */
const MOST_REST_MS = 1_000;

/** Carries out repairs, one after the other; continues those that a stopped server left. */
export function carryOutRepairs(context: RepairContext): AsyncDisposable {
	const { db, events } = context;
	const work = leasedJob(context, "repairs", EVERY_MS, async (stopped) => {
		let failed = 0;
		for (let row = await findUnfinished(db.read); row !== undefined && !stopped.aborted; ) {
			if (!(await carryOut(context, row, stopped))) failed += 1;
			row = await findUnfinished(db.read);
		}
		if (failed > 0) throw new Error(`${failed} repairs ended with an error`);
	});
	const wake = () => work.wake();
	events.on("repair_asked", wake);
	const stopWaking = wakeForOthers(context, "repair", work);
	return {
		async [Symbol.asyncDispose]() {
			events.off("repair_asked", wake);
			stopWaking();
			await work[Symbol.asyncDispose]();
		},
	};
}

/** @returns whether it succeeded */
async function carryOut(context: RepairContext, row: RepairRow, stopped: AbortSignal): Promise<boolean> {
	const { db, log, now, repairs } = context;
	const run = new Run(context, row);
	try {
		const wanted = {
			...{ kind: row.kind, isDryRun: row.dry_run === 1 },
			...(row.project_id === null ? {} : { projectId: row.project_id }),
			...(row.start_micros === null ? {} : { startMicros: row.start_micros }),
			...(row.end_micros === null ? {} : { endMicros: row.end_micros }),
			...(run.after === undefined ? {} : { after: run.after }),
		};
		let began = performance.now();
		for await (const progress of repairs.run(wanted)) {
			if (!(await run.note(progress)) || stopped.aborted) return true;
			await rest(performance.now() - began, stopped);
			began = performance.now();
		}
		await run.end({ status: "completed", finished_at: now() });
		const { kind, dry_run } = row;
		if (run.found > 0) log.info({ kind, dry: dry_run === 1, ...run.counts }, "a repair found damage of traces");
		return true;
	} catch (error) {
		if (mayContinue(error)) throw error;
		log.error({ err: error, repair: row.id }, "a repair failed");
		const ended = { status: "failed", error: "It failed; the server's log says why.", finished_at: now() } as const;
		await db.write((transaction) => advanceRepair(transaction, run.row, ended));
		return false;
	}
}

/** What a run has counted, and its row. */
class Run {
	row: RepairRow;
	readonly after: string | undefined;
	readonly #context: RepairContext;
	#lookedAt: number;
	#repaired: number;
	#notedAt = 0;
	found: number;

	constructor(context: RepairContext, row: RepairRow) {
		const { after, lookedAt, found, repaired } = parsePosition(row) ?? { lookedAt: 0, found: 0, repaired: 0 };
		this.#context = context;
		this.row = row;
		this.after = after;
		this.#lookedAt = lookedAt;
		this.found = found;
		this.#repaired = repaired;
	}

	get counts() {
		return { looked_at: this.#lookedAt, found: this.found, repaired: this.#repaired };
	}

	/** @returns false when the run must end: it was cancelled, or another process goes on with it */
	async note({ lookedAt, found, repaired, completed }: RepairProgress): Promise<boolean> {
		this.#lookedAt += lookedAt;
		this.found += found;
		this.#repaired += repaired;
		if (completed === undefined && performance.now() - this.#notedAt < NOTE_EVERY_MS) return true;
		this.#notedAt = performance.now();
		if (completed === undefined) return await this.end(this.counts);
		const counted = { lookedAt: this.#lookedAt, found: this.found, repaired: this.#repaired };
		return await this.end({ ...this.counts, position: JSON.stringify({ after: completed, ...counted }) });
	}

	async end(change: Parameters<typeof advanceRepair>[2]): Promise<boolean> {
		const { db } = this.#context;
		const row = await db.write((transaction) => advanceRepair(transaction, this.row, { ...this.counts, ...change }));
		if (row !== undefined) this.row = row;
		return row !== undefined;
	}
}

async function rest(workedMs: number, stopped: AbortSignal): Promise<void> {
	try {
		await sleep(Math.min(workedMs, MOST_REST_MS), undefined, { signal: stopped });
	} catch (error) {
		if (!stopped.aborted) throw error;
	}
}

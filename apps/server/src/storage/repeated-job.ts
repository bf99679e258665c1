import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "#context.ts";
import type { ClusterMessage } from "./cluster.ts";
import { isConflict } from "./postgres/storage-errors.ts";
import { StorageUnavailable, type WhyUnavailable } from "./traces/span-batch.ts";

const MAX_PAUSE_MS = 250;

/**
 * Runs `work` at once, then at an interval and when woken, one run at a time. Disposing waits for the current run. The
 * timer does not keep the process alive.
 */
export class RepeatedJob implements AsyncDisposable {
	readonly #timer: NodeJS.Timeout;
	readonly #stopped = new AbortController();
	readonly #work: (stopped: AbortSignal) => Promise<void>;
	#running: Promise<void> | undefined;
	#again = false;

	/**
	 * @param everyMs interval in milliseconds
	 * @param work never rejects; `stopped` asks it to end early
	 */
	constructor(everyMs: number, work: (stopped: AbortSignal) => Promise<void>) {
		this.#work = work;
		this.#timer = setInterval(() => this.wake(), everyMs);
		this.#timer.unref();
		this.wake();
	}

	/** Runs the work now, or once more after the current run. */
	wake(): void {
		this.#again = true;
		this.#running ??= this.#run();
	}

	async #run(): Promise<void> {
		while (this.#again && !this.#stopped.signal.aborted) {
			this.#again = false;
			await this.#work(this.#stopped.signal);
		}
		this.#running = undefined;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopped.abort();
		clearInterval(this.#timer);
		await this.#running;
	}
}

/**
 * A {@link RepeatedJob} for work that only one of the processes on a database may do at a time; the others skip it.
 * @param name of the work, the same in all processes
 * @param work is tried again later when it rejects, which is counted as a failure, and logged unless a database was
 * unreachable, as a warning where it met others; `stopped` also aborts when this process may have lost the lease
 */
export function leasedJob(
	{ cluster, log }: Pick<Context, "cluster" | "log">,
	name: string,
	everyMs: number,
	work: (stopped: AbortSignal) => Promise<void>,
): RepeatedJob {
	return new RepeatedJob(everyMs, async (stopped) => {
		let hasBegun = false;
		try {
			await cluster.withLease(name, (lost) => {
				hasBegun = true;
				return work(AbortSignal.any([stopped, lost]));
			});
		} catch (error) {
			if (hasBegun) {
				log[levelOf(error)]({ err: error, work: name }, "a background job failed; trying again later");
				return;
			}
			const why = error instanceof StorageUnavailable ? { reason: error.message } : { err: error };
			log.warn({ work: name, ...why }, "whether another process does this work could not be asked; trying again later");
		}
	});
}

/**
 * A {@link RepeatedJob} for work that each process on a database does for itself.
 * @param work is tried again later when it rejects, which is counted as a failure of this name, and logged unless it
 * failed before. An unreachable database is neither: it is logged and counted elsewhere
 */
export function jobOfEachProcess(
	{ log, metrics }: Pick<Context, "log" | "metrics">,
	name: string,
	everyMs: number,
	work: (stopped: AbortSignal) => Promise<void>,
): RepeatedJob {
	let isFailing = false;
	return new RepeatedJob(everyMs, async (stopped) => {
		try {
			await metrics.noteWork(name, () => work(stopped), isNotAway);
			isFailing = false;
		} catch (error) {
			const isNew = !isFailing && isNotAway(error);
			log[isNew ? "error" : "debug"]({ err: error, work: name }, "a background job failed; trying again later");
			isFailing ||= isNew;
		}
	});
}

/** It is logged, and counted, elsewhere that it cannot be reached. */
const AWAY: ReadonlySet<WhyUnavailable> = new Set(["unreachable", "traces_unreachable", "traces_incomplete"]);

function levelOf(error: unknown): "error" | "warn" | "debug" {
	// A next release that changes the schema locks tables one after the other, and the database may end what waits for one.
	if (isConflict(error)) return "warn";
	return isNotAway(error) ? "error" : "debug";
}

function isNotAway(error: unknown): boolean {
	return !(error instanceof StorageUnavailable && AWAY.has(error.reason));
}

/** A database was unreachable, failing over to another primary, overloaded, or did not let this server in. */
const PASSING: ReadonlySet<WhyUnavailable> = new Set([
	...["unreachable", "read_only", "busy"],
	...["traces_unreachable", "traces_incomplete", "traces_behind", "traces_busy", "traces_refused"],
] as const);

/** Whether the work may continue later where it stopped. */
export function mayContinue(error: unknown): boolean {
	return error instanceof StorageUnavailable && PASSING.has(error.reason);
}

type Wake = Extract<ClusterMessage, { topic: "wake" }>["work"];

/** Wakes the job when another process asks for it, or may have asked. Returns the function that unsubscribes. */
export function wakeForOthers({ cluster }: Pick<Context, "cluster">, name: Wake, work: RepeatedJob): () => void {
	return cluster.onMessage((message) => {
		if (message.topic === "missed" || (message.topic === "wake" && message.work === name)) work.wake();
	});
}

/** Pauses between steps of a long job for as long as the step took, but at most 250 ms, to let others write. */
export async function letOthersWrite(workedMs: number): Promise<void> {
	await sleep(Math.min(workedMs, MAX_PAUSE_MS));
}

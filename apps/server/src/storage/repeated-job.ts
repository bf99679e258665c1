import type { Context } from "#context.ts";
import type { ClusterMessage } from "./cluster.ts";
import { StorageUnavailable } from "./traces/span-batch.ts";

/**
 * Does `work` at once and again and again, one after the other, and when it is woken; disposing waits for what runs. Its
 * time stops no process.
 */
export class RepeatedJob implements AsyncDisposable {
	readonly #timer: NodeJS.Timeout;
	readonly #stopped = new AbortController();
	readonly #work: (stopped: AbortSignal) => Promise<void>;
	#running: Promise<void> | undefined;
	#again = false;

	/** @param work never rejects; `stopped` tells it to end early */
	constructor(everyMs: number, work: (stopped: AbortSignal) => Promise<void>) {
		this.#work = work;
		this.#timer = setInterval(() => this.wake(), everyMs);
		this.#timer.unref();
		this.wake();
	}

	/** Does the work now, or once more when what runs has ended. */
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
 * As {@link RepeatedJob}, for what only one of the processes on a database does at a time: the others find it done.
 * @param name of the work, the same in all processes
 * @param work is tried again later when it rejects, which is logged and counted as a failure of this name; `stopped` also
 * tells that another process may go on with it
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
				log.error({ err: error, work: name }, "a background job failed; trying again later");
				return;
			}
			const why = error instanceof StorageUnavailable ? { reason: error.message } : { err: error };
			log.warn({ work: name, ...why }, "whether another process does this work could not be asked; trying again later");
		}
	});
}

/**
 * As {@link RepeatedJob}, for what each of the processes on a database does for itself.
 * @param work is tried again later when it rejects, which is counted as a failure of this name and logged where it did not
 * reject before; a database that is away, which is logged and counted elsewhere, is neither
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

function isNotAway(error: unknown): boolean {
	return !(error instanceof StorageUnavailable && error.reason === "unreachable");
}

/** Of a database that was away, on its way to another primary, or asked for too much at once. */
const PASSING: ReadonlySet<StorageUnavailable["reason"]> = new Set(["unreachable", "read_only", "busy"]);

/** Whether work may go on later where it stopped. */
export function mayContinue(error: unknown): boolean {
	return error instanceof StorageUnavailable && PASSING.has(error.reason);
}

type Wake = Extract<ClusterMessage, { topic: "wake" }>["work"];

/** Wakes work when another process asks for it, or may have asked. Returns the unsubscribe. */
export function wakeForOthers({ cluster }: Pick<Context, "cluster">, name: Wake, work: RepeatedJob): () => void {
	return cluster.onMessage((message) => {
		if (message.topic === "missed" || (message.topic === "wake" && message.work === name)) work.wake();
	});
}

import { WriteBehind } from "#base/write-behind.ts";
import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { deleteCalls, insertCalls, type NotedCall } from "./queries.ts";

const WRITE_MS = 2_000;
/** Calls that wait to be written, at most: while the database is away the oldest are given up. */
const MOST_WAITING = 1_000;
const HOUR_MS = 3_600_000;
const WEEK_MICROS = 7 * 86_400_000_000;
const MOST_KEPT = 10_000;
/** Rows deleted per transaction. */
const BATCH = 1_000;

/** Writes down calls of agents behind them, so that none waits for it. */
export class CallLog implements AsyncDisposable {
	readonly #context: Pick<WritingContext, "db" | "log">;
	#waiting: NotedCall[] = [];
	readonly #later: WriteBehind;

	constructor(context: Pick<WritingContext, "db" | "log">) {
		this.#context = context;
		this.#later = new WriteBehind(() => this.#write(), WRITE_MS);
	}

	note(call: NotedCall): void {
		if (this.#waiting.length >= MOST_WAITING) this.#waiting.shift();
		this.#waiting.push(call);
		this.#later.soon();
	}

	/** Writes what waits. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#later[Symbol.asyncDispose]();
	}

	async #write(): Promise<void> {
		const calls = this.#waiting;
		if (calls.length === 0) return;
		this.#waiting = [];
		try {
			await this.#context.db.write((transaction) => insertCalls(transaction, calls));
		} catch (error) {
			this.#context.log.warn({ err: error, calls: calls.length }, "calls of agents could not be written down yet");
			this.#waiting = [...calls, ...this.#waiting].slice(-MOST_WAITING);
			this.#later.soon();
		}
	}
}

/** Keeps the calls of a week, and at most 10,000: looks at the start and every hour. */
export function forgetCalls(context: Pick<WritingContext, "cluster" | "db" | "log" | "now">): AsyncDisposable {
	const { db, now } = context;
	return leasedJob(context, "agent calls", HOUR_MS, async (stopped) => {
		for (let last = BATCH; last === BATCH && !stopped.aborted; ) {
			const old = { before: now() - WEEK_MICROS, most: MOST_KEPT, limit: BATCH };
			last = await db.write((transaction) => deleteCalls(transaction, old));
		}
	});
}

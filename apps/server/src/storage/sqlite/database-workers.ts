import { Semaphore } from "#base/semaphore.ts";
import { AbandonedCalls } from "./abandoned-calls.ts";
import type { ReaderHandlers } from "./reader-worker.ts";
import { WorkerClient } from "./worker-protocol.ts";
import { releaseLockOfEndedThread } from "./write-lock.ts";
import type { WriterHandlers } from "./writer-worker.ts";

export interface DatabaseWorkersOptions {
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
	/** Maximum number of reader threads. */
	readonly readers: number;
	readonly textIndex: boolean;
}

export interface WorkerSettings {
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
	readonly textIndex: boolean;
}

export interface ReaderSettings extends WorkerSettings {
	readonly abandoned: SharedArrayBuffer;
}

/** A reader with a long query counts as having so many short ones waiting. */
const LONG_QUERY_LOAD = 1_000;

/** The threads that run SQL for the main thread. They are started when first needed, and replaced when they end. */
export class DatabaseWorkers implements AsyncDisposable {
	readonly #options: DatabaseWorkersOptions;
	readonly #readers = new Set<WorkerClient<ReaderHandlers>>();
	/** Readers that are busy with a long query. */
	readonly #kept = new Set<WorkerClient<ReaderHandlers>>();
	/** How many long queries run at a time. */
	readonly longQueries: number;
	readonly #longQuestions: Semaphore;
	#writer: WorkerClient<WriterHandlers> | undefined;
	#isClosed = false;

	constructor(options: DatabaseWorkersOptions) {
		this.#options = options;
		this.longQueries = Math.max(1, options.readers - 1);
		this.#longQuestions = new Semaphore(this.longQueries);
	}

	/** The reader with the fewest pending calls; those with a long query come last. */
	get reader(): WorkerClient<ReaderHandlers> {
		this.#assertOpen();
		let best: WorkerClient<ReaderHandlers> | undefined;
		for (const reader of this.#readers) {
			if (reader.hasEnded) this.#readers.delete(reader);
			else if (best === undefined || this.#delayOf(reader) < this.#delayOf(best)) best = reader;
		}
		if (best !== undefined && (best.load === 0 || this.#readers.size >= this.#options.readers)) return best;
		const started = this.#start<ReaderHandlers>("./reader-worker.ts", new AbandonedCalls());
		this.#readers.add(started);
		return started;
	}

	/**
	 * Runs a query that may take seconds. If there are two or more readers, one always stays free for short queries, such
	 * as the owner of a key or a page of a list.
	 */
	async runLong<T>(ask: (reader: WorkerClient<ReaderHandlers>) => Promise<T>): Promise<T> {
		return await this.#longQuestions.run(() => this.#keeping(this.reader, ask));
	}

	get writer(): WorkerClient<WriterHandlers> {
		this.#assertOpen();
		if (this.#writer === undefined || this.#writer.hasEnded)
			this.#writer = this.#start<WriterHandlers>("./writer-worker.ts");
		return this.#writer;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosed = true;
		if (this.#writer !== undefined && !this.#writer.hasEnded) await this.#writer.call("close");
		await Promise.all([...this.#readers, this.#writer].map((worker) => worker?.[Symbol.asyncDispose]()));
	}

	async #keeping<T>(
		reader: WorkerClient<ReaderHandlers>,
		ask: (reader: WorkerClient<ReaderHandlers>) => Promise<T>,
	): Promise<T> {
		this.#kept.add(reader);
		try {
			return await ask(reader);
		} finally {
			this.#kept.delete(reader);
		}
	}

	#delayOf(reader: WorkerClient<ReaderHandlers>): number {
		return reader.load + (this.#kept.has(reader) ? LONG_QUERY_LOAD : 0);
	}

	#start<H extends ReaderHandlers | WriterHandlers>(
		file: "./reader-worker.ts" | "./writer-worker.ts",
		abandoned?: AbandonedCalls,
	): WorkerClient<H> {
		const { path, mutex, textIndex } = this.#options;
		const settings: WorkerSettings = { path, mutex, textIndex };
		return new WorkerClient<H>(
			new URL(file, import.meta.url),
			{ ...settings, abandoned: abandoned?.memory },
			(threadId) => releaseLockOfEndedThread(mutex, threadId, file === "./writer-worker.ts"),
			abandoned,
		);
	}

	#assertOpen(): void {
		if (this.#isClosed) throw new Error("the database is closed");
	}
}

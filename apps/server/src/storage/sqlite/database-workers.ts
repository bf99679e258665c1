import type { ReaderHandlers } from "./reader-worker.ts";
import { WorkerClient } from "./worker-protocol.ts";
import { releaseLockOfEndedThread } from "./write-lock.ts";
import type { WriterHandlers } from "./writer-worker.ts";

export interface DatabaseWorkersOptions {
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
	/** Most reader threads. */
	readonly readers: number;
	readonly textIndex: boolean;
}

export interface WorkerSettings {
	readonly path: string;
	readonly mutex: SharedArrayBuffer;
	readonly textIndex: boolean;
}

/** The threads that run SQL for the main thread. They start when they are first needed; one that ends is replaced. */
export class DatabaseWorkers implements AsyncDisposable {
	readonly #options: DatabaseWorkersOptions;
	readonly #readers = new Set<WorkerClient<ReaderHandlers>>();
	#writer: WorkerClient<WriterHandlers> | undefined;
	#isClosed = false;

	constructor(options: DatabaseWorkersOptions) {
		this.#options = options;
	}

	/** The reader with the least to do. */
	get reader(): WorkerClient<ReaderHandlers> {
		this.#assertOpen();
		let best: WorkerClient<ReaderHandlers> | undefined;
		for (const reader of this.#readers) {
			if (reader.hasEnded) this.#readers.delete(reader);
			else if (best === undefined || reader.load < best.load) best = reader;
		}
		if (best !== undefined && (best.load === 0 || this.#readers.size >= this.#options.readers)) return best;
		const started = this.#start<ReaderHandlers>("./reader-worker.ts");
		this.#readers.add(started);
		return started;
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

	#start<H extends ReaderHandlers | WriterHandlers>(
		file: "./reader-worker.ts" | "./writer-worker.ts",
	): WorkerClient<H> {
		const { path, mutex, textIndex } = this.#options;
		const settings: WorkerSettings = { path, mutex, textIndex };
		return new WorkerClient<H>(new URL(file, import.meta.url), settings, (threadId) =>
			releaseLockOfEndedThread(mutex, threadId, file === "./writer-worker.ts"),
		);
	}

	#assertOpen(): void {
		if (this.#isClosed) throw new Error("the database is closed");
	}
}

import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { UserError } from "#base/errors.ts";
import type { ProblemCode } from "#base/problems.ts";
import type { FileTask } from "./file-rows.ts";
import { invalid, type UploadedRow } from "./uploaded-rows.ts";

/** V8's heap limit in a process that reads a file: several times what the largest example takes. */
const HEAP_MEBIBYTES = 256;
/** A batch takes milliseconds, the largest record batch of Arrow a second or two. */
const BATCH_MS = 30_000;
/**
 * For all batches together: 30 MB take 1 s, as a million short rows 7 s. A few bytes of Arrow can declare a million rows of
 * which each takes milliseconds.
 */
const FILE_MS = 120_000;
const FILE_MS_PER_MEBIBYTE = 5_000;
/** Characters of the process's standard error that are kept for the log. */
const MAX_LAST_WORDS = 4_096;

/** Messages from the process: one in answer to the task, and one to each "next". */
export type FromReader =
	| { readonly kind: "rows"; readonly rows: readonly UploadedRow[] }
	| { readonly kind: "end" }
	| { readonly kind: "refused"; readonly status: number; readonly code: ProblemCode; readonly message: string }
	| { readonly kind: "failed"; readonly stack: string };

/** How long reading may take, in milliseconds: each batch of rows, and all of the file. */
export interface ReadingTime {
	readonly batch: number;
	readonly file: number;
}

/** @param size of the file as it was sent, in bytes */
export function readingTimeOf(size: number): ReadingTime {
	return { batch: BATCH_MS, file: FILE_MS + (size / 1_048_576) * FILE_MS_PER_MEBIBYTE };
}

/**
 * The examples of a file, read in a separate process: a few damaged bytes can make a reader loop or take all memory.
 * A thread would not do: V8 aborts the whole process where a single allocation exceeds the heap's limit.
 * @param fd of the file, which stays open
 * @param time does not run while the caller works on a batch
 * @throws UserError 413, 422; 422 also when reading the file takes too much memory or time
 */
export async function* readFileBeside(fd: number, task: FileTask, time: ReadingTime): AsyncGenerator<UploadedRow> {
	const reader = new FileReader(fd, time);
	try {
		for (let answer = await reader.ask(task); answer.kind !== "end"; answer = await reader.ask("next")) {
			if (answer.kind === "refused") throw new UserError(answer.status, answer.code, answer.message);
			if (answer.kind === "failed")
				throw new Error("reading an uploaded file failed", { cause: errorWith(answer.stack) });
			yield* answer.rows;
		}
	} finally {
		reader.end();
	}
}

/** An error with the stack of that process: the log shows only causes that are `Error`s. */
function errorWith(stack: string): Error {
	const error = new Error("in the process that reads it");
	error.stack = stack;
	return error;
}

/** The environment of the process: without secrets, and without anything that changes how Node starts. */
function environment(): NodeJS.ProcessEnv {
	const compiled = getCompileCacheDir();
	// Node appends a subfolder for its version to the path; the new process appends it again.
	return compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };
}

class FileReader {
	readonly #process: ChildProcess;
	readonly #ended: Promise<never>;
	readonly #time: ReadingTime;
	/** Milliseconds that are left for the file. */
	#left: number;
	#lastWords = "";

	constructor(fd: number, time: ReadingTime) {
		this.#time = time;
		this.#left = time.file;
		this.#process = fork(new URL("./file-reader.ts", import.meta.url), {
			env: environment(),
			execArgv: [
				`--max-old-space-size=${HEAP_MEBIBYTES}`,
				"--max-semi-space-size=8",
				"--disable-warning=ExperimentalWarning",
			],
			serialization: "advanced",
			stdio: [fd, "ignore", "pipe", "ipc"],
		});
		this.#process.stderr?.on("data", (chunk: Buffer) => {
			this.#lastWords = (this.#lastWords + chunk.toString()).slice(0, MAX_LAST_WORDS);
		});
		this.#ended = new Promise((_, reject) => {
			this.#process.once("error", reject);
			this.#process.once("close", (code, signal) => reject(this.#toError(code, signal)));
		});
		this.#ended.catch(() => undefined);
	}

	async ask(message: FileTask | "next"): Promise<FromReader> {
		const { batch, file } = this.#time;
		const asked = performance.now();
		const limit = this.#left < batch ? file : batch;
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_, reject) => {
			const refuse = () => reject(invalid(`The file takes longer than ${Math.ceil(limit / 1_000)} s to read`));
			timer = setTimeout(refuse, Math.min(batch, this.#left));
		});
		const answered = new Promise<FromReader>((resolve) => {
			this.#process.once("message", (answer) => resolve(answer as FromReader));
		});
		// A failure to send shows when the process ends.
		this.#process.send(message, () => undefined);
		try {
			return await Promise.race([answered, this.#ended, late]);
		} finally {
			clearTimeout(timer);
			this.#left -= performance.now() - asked;
		}
	}

	end(): void {
		this.#process.kill("SIGKILL");
	}

	/** V8 aborts where its heap is full; Linux kills where the machine's memory is. */
	#toError(code: number | null, signal: NodeJS.Signals | null): Error {
		if (signal !== null) return invalid(`The file takes more than ${HEAP_MEBIBYTES} MiB of memory to read`);
		return new Error(`the process that reads an uploaded file ended with code ${code}`, {
			cause: errorWith(this.#lastWords),
		});
	}
}

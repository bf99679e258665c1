import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Columns } from "../columns.ts";
import type { FromReader } from "./file-reader-client.ts";

/** Thousands of times what the streams of the tests take on an idle machine. */
const BOUND_MS = 30_000;

/** What became of a stream; `exhausted` when its reader ended for want of memory. */
type Outcome = FromReader | { readonly kind: "exhausted" };

/**
 * Reads Arrow streams as an upload does, in a process with as little memory, but many with the same process; another one
 * takes over where one has ended.
 */
export class TestArrowReader implements Disposable {
	#process: ChildProcess | undefined;

	/** @throws when reading does not end */
	async read(bytes: Uint8Array, columns: Columns): Promise<Outcome> {
		this.#process ??= fork(new URL("./test-arrow-process.ts", import.meta.url), {
			execArgv: ["--max-old-space-size=256", "--disable-warning=ExperimentalWarning"],
			serialization: "advanced",
			stdio: ["ignore", "ignore", "ignore", "ipc"],
		});
		const done = new AbortController();
		const signal = AbortSignal.any([done.signal, AbortSignal.timeout(BOUND_MS)]);
		const answered = once(this.#process, "message", { signal }).then(([answer]) => answer as FromReader);
		const exited = once(this.#process, "exit", { signal }).then((): Outcome => {
			this.#process = undefined;
			return { kind: "exhausted" };
		});
		exited.catch(() => undefined);
		this.#process.send({ bytes, columns }, () => undefined);
		try {
			return await Promise.race([answered, exited]);
		} finally {
			done.abort();
		}
	}

	[Symbol.dispose](): void {
		this.#process?.kill("SIGKILL");
	}
}

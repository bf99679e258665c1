import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A new folder below TMPDIR, which is deleted when it is disposed of, or when a signal ends the command. */
export class TemporaryFolder implements Disposable {
	readonly path: string;

	/** @param prefix of its name */
	constructor(prefix: string) {
		this.path = mkdtempSync(join(tmpdir(), prefix));
		for (const signal of SIGNALS) process.once(signal, this.#end);
	}

	[Symbol.dispose](): void {
		for (const signal of SIGNALS) process.off(signal, this.#end);
		// Retries, as other threads may still be writing there.
		rmSync(this.path, { recursive: true, force: true, maxRetries: 10 });
	}

	/** Ends the command as the signal would have. */
	readonly #end = (signal: NodeJS.Signals): void => {
		this[Symbol.dispose]();
		process.kill(process.pid, signal);
	};
}

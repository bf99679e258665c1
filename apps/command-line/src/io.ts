import type { Readable, Writable } from "node:stream";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command has of its process, so that tests can run it in theirs. */
export interface Io {
	readonly stdin: Readable & { readonly isTTY?: boolean };
	readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
	readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
	readonly environment: Environment;
	/** Aborted by Ctrl-C. */
	readonly signal: AbortSignal;
}

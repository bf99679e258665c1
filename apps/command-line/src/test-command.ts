import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { openTestApp, type TestApp } from "../../server/src/test-app.ts";
import type { Environment } from "./io.ts";
import { runRemote } from "./run.ts";

export interface Ended {
	readonly code: number | undefined;
	readonly stdout: string;
	readonly stderr: string;
	/** Standard output as JSON, one value a line. */
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	readonly json: any[];
}

interface CallOptions {
	readonly input?: string | Uint8Array;
	/** Whether somebody types the input. */
	readonly isTyped?: boolean;
	readonly env?: Environment;
	readonly signal?: AbortSignal;
	/** Columns of a terminal that shows the output; no terminal when absent. */
	readonly terminal?: number;
	/** Called with what is written, as it comes. */
	readonly onOutput?: (text: string) => void;
	/** The same of standard error. */
	readonly onError?: (text: string) => void;
}

/** A server on a port of its own, and the commands that ask it, in this process. */
export interface TestCommands extends AsyncDisposable {
	readonly app: TestApp;
	readonly url: string;
	/** A folder for files and credentials, deleted at the end. */
	readonly folder: string;
	call(args: readonly string[], options?: CallOptions): Promise<Ended>;
}

export async function openTestCommands(settings: Readonly<Record<string, string>> = {}): Promise<TestCommands> {
	await using opened = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-command-"));
	opened.defer(() => rm(folder, { recursive: true, force: true }));
	const app = opened.use(await openTestApp(settings));
	const url = await app.app.listen({ port: 0, host: "127.0.0.1" });
	const running = opened.move();
	return {
		app,
		url,
		folder,
		call: (args, options = {}) =>
			call(args, {
				...options,
				env: { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, HOME: folder, SERVICE_URL: url, ...options.env },
			}),
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}

async function call(
	args: readonly string[],
	{
		input = "",
		isTyped = false,
		env = {},
		signal = new AbortController().signal,
		terminal,
		onOutput,
		onError,
	}: CallOptions,
): Promise<Ended> {
	const isTerminal = terminal === undefined ? {} : { isTTY: true, columns: terminal, rows: 24 };
	const [stdout, stderr] = [Object.assign(new PassThrough(), isTerminal), new PassThrough()];
	if (onOutput !== undefined) stdout.on("data", (chunk: Buffer) => onOutput(chunk.toString()));
	if (onError !== undefined) stderr.on("data", (chunk: Buffer) => onError(chunk.toString()));
	const [written, said] = [text(stdout), text(stderr)];
	const stdin = Object.assign(Readable.from(input.length === 0 ? [] : [Buffer.from(input)]), { isTTY: isTyped });
	const code = await runRemote(args, { stdin, stdout, stderr, environment: env, signal });
	stdout.end();
	stderr.end();
	const output = await written;
	return {
		code,
		stdout: output,
		stderr: await said,
		get json() {
			return output
				.split("\n")
				.filter(Boolean)
				.map((line): unknown => JSON.parse(line));
		},
	};
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const ENDS_WITHIN_MS = 100_000;
const LOG_TAIL = 4_000;

export interface PeerCommand {
	/** How messages call it. */
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly isReady: () => Promise<boolean>;
	readonly readyWithinMs: number;
}

/** Ends a program with the process that started it, however that ends: `setpriv` is on every Debian. */
const ENDING_WITH_US = ["/usr/bin/setpriv", "--pdeathsig", "TERM"] as const;

/** A program that is not ours, with everything it starts: a process group of its own. */
export class PeerProcess implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly #pid: number;
	#log = "";

	private constructor({ command, args, env }: PeerCommand) {
		const [wrapper, ...wrapped] = [...ENDING_WITH_US, command, ...args];
		const child = spawn(wrapper, wrapped, {
			stdio: ["ignore", "pipe", "pipe"],
			detached: true,
			env: { ...process.env, ...env },
		});
		const keep = (text: string) => {
			this.#log += text;
		};
		child.stdout.setEncoding("utf8").on("data", keep);
		child.stderr.setEncoding("utf8").on("data", keep);
		child.on("error", (error) => keep(error.message));
		this.#child = child;
		this.#pid = child.pid ?? 0;
	}

	/** @throws when it ends or is not ready in time, with the end of what it wrote */
	static async start(command: PeerCommand): Promise<PeerProcess> {
		const peer = new PeerProcess(command);
		const deadline = Date.now() + command.readyWithinMs;
		try {
			while (!(await command.isReady())) {
				if (peer.#hasEnded) throw new Error(`${command.name} ended:\n${peer.#log.slice(-LOG_TAIL)}`);
				if (Date.now() > deadline) {
					const seconds = command.readyWithinMs / 1_000;
					throw new Error(`${command.name} was not ready within ${seconds} s:\n${peer.#log.slice(-LOG_TAIL)}`);
				}
				await sleep(50);
			}
		} catch (error) {
			await peer[Symbol.asyncDispose]();
			throw error;
		}
		return peer;
	}

	/** Everything it wrote. */
	get log(): string {
		return this.#log;
	}

	get pid(): number {
		return this.#pid;
	}

	get #hasEnded(): boolean {
		return this.#pid === 0 || this.#child.exitCode !== null || this.#child.signalCode !== null;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#pid === 0) return;
		if (!this.#hasEnded) {
			const ended = once(this.#child, "exit");
			signalGroup(this.#pid, "SIGTERM");
			const tooLong = setTimeout(() => signalGroup(this.#pid, "SIGKILL"), ENDS_WITHIN_MS);
			await ended;
			clearTimeout(tooLong);
		}
		signalGroup(this.#pid, "SIGKILL");
	}
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-group, signal);
	} catch (error) {
		// ESRCH: nobody of it is left.
		if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
	}
}

/** Runs a program to its end. @throws with what it wrote when it fails */
export async function runToEnd(
	command: string,
	args: readonly string[],
	options: { readonly input?: string; readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
	const child = spawn(command, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
	let output = "";
	const keep = (text: string) => {
		output += text;
	};
	child.stdout.setEncoding("utf8").on("data", keep);
	child.stderr.setEncoding("utf8").on("data", keep);
	// A program that ends before it has read everything says why itself.
	child.stdin.on("error", () => undefined);
	child.stdin.end(options.input ?? "");
	const [code] = await once(child, "close");
	if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output.slice(-LOG_TAIL)}`);
	return output;
}

/** Whether somebody takes connections there. */
export async function listens(port: number, host = "127.0.0.1"): Promise<boolean> {
	const socket = connect(port, host);
	try {
		await once(socket, "connect");
		return true;
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}

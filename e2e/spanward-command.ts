import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The program that operators call. */
export const COMMAND = join(import.meta.dirname, "../apps/server/bin/spanward.mjs");

export interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

interface CommandOptions {
	/** Standard input. */
	readonly input?: string;
	/** The whole environment but `PATH`. */
	readonly env?: Readonly<Record<string, string>>;
	readonly folder?: string;
}

/** Runs the command `spanward` as operators do, without a terminal. */
export async function spanward(
	args: readonly string[],
	{ input = "", env = {}, folder }: CommandOptions = {},
): Promise<Ended> {
	const child = spawn(process.execPath, [COMMAND, ...args], {
		stdio: ["pipe", "pipe", "pipe"],
		...(folder === undefined ? {} : { cwd: folder }),
		env: { PATH: process.env["PATH"], ...env },
	});
	let stdout = "";
	let stderr = "";
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	// A command that does not read its input ends before it is written.
	child.stdin.on("error", () => {});
	child.stdin.end(input);
	const [code] = await once(child, "close");
	return { code, stdout, stderr };
}

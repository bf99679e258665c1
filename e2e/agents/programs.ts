import { execFile } from "node:child_process";
import { join } from "node:path";

/** Where `npm test` installs what programs/package.json lists. */
const MODULES = join(import.meta.dirname, "../../.cache/agents/node_modules");

/** What a program printed, and the code it ended with. */
export interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/**
 * Runs a program to its end, whatever its exit code.
 * @param script of a package, such as `@modelcontextprotocol/inspector/clients/launcher/build/index.js`
 */
export async function runProgram(
	script: string,
	args: readonly string[],
	env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
	return await new Promise((resolve, reject) => {
		const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1_024 * 1_024, timeout: 500_000 };
		execFile(process.execPath, [join(MODULES, script), ...args], options, (error, stdout, stderr) => {
			const code = error === null ? 0 : error.code;
			if (typeof code === "number") resolve({ code, stdout, stderr });
			else reject(error);
		});
	});
}

import { ConfigError } from "#base/config.ts";
import type { Environment } from "#base/settings/setting.ts";
import { tolerateClosedOutput } from "./closed-output.ts";
import { CommandError, EXIT_SETTINGS } from "./command-error.ts";
import { COMMANDS } from "./commands.ts";
import { helpOf } from "./help.ts";
import { printable } from "./printable.ts";

/** Other names of commands. */
const ALIASES: ReadonlyMap<string, string> = new Map([["--rollback", "rollback"]]);

/** Whether a command of this name works on the machine of the server, with its settings. */
export function isLocalCommand(name: string): boolean {
	return COMMANDS.has(ALIASES.get(name) ?? name);
}

/**
 * Runs such a command: writes its output, and its error as people read it.
 * @returns the exit code of a failure; undefined when the command has completed and set its own
 */
export async function runLocalCommand(
	given: string,
	args: readonly string[],
	environment: Environment,
): Promise<number | undefined> {
	tolerateClosedOutput();
	const name = ALIASES.get(given) ?? given;
	const command = COMMANDS.get(name);
	if (command === undefined) throw new Error(`${name} is no command of this machine`);
	try {
		if (args.includes("--help") || args.includes("-h")) process.stdout.write(helpOf(name, command));
		else await command.run(args, environment);
		return undefined;
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		// Messages of a database may contain control characters.
		process.stderr.write(`${messageOf(error, name).trimEnd().split("\n").map(printable).join("\n")}\n`);
		return error instanceof CommandError ? error.exitCode : error instanceof ConfigError ? EXIT_SETTINGS : 1;
	}
}

/** The message of an error; wrong settings are reported as a problem of the command, not of the server. */
function messageOf(error: Error, name: string): string {
	// Doctor reports that the server cannot start.
	if (!(error instanceof ConfigError) || name === "doctor") return error.message;
	const problems = error.problems.map((problem) => `  - ${problem}`);
	return [`spanward ${name} cannot run with these settings:`, ...problems].join("\n");
}

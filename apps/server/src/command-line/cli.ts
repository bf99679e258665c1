import { ConfigError } from "#base/config.ts";
import { VERSION } from "#http/versions.ts";
import { tolerateClosedOutput } from "./closed-output.ts";
import { CommandError, EXIT_SETTINGS, EXIT_USAGE } from "./command-error.ts";
import { COMMANDS } from "./commands.ts";
import { helpOf, helpOfAll, noSuchCommand } from "./help.ts";
import { printable } from "./printable.ts";

async function runCommand(name: string, args: readonly string[]): Promise<void> {
	if (["--help", "-h", "help"].includes(name)) {
		const [of = ""] = args;
		const command = COMMANDS.get(of);
		process.stdout.write(command === undefined ? helpOfAll() : helpOf(of, command));
		return;
	}
	if (name === "--version") {
		process.stdout.write(`${VERSION}\n`);
		return;
	}
	const command = COMMANDS.get(name);
	if (command === undefined) throw new CommandError(EXIT_USAGE, noSuchCommand(name));
	if (args.includes("--help") || args.includes("-h")) process.stdout.write(helpOf(name, command));
	// biome-ignore lint/style/noProcessEnv: the settings come from here
	else await command.run(args, process.env);
}

/** The message of an error; wrong settings are reported as a problem of the command, not of the server. */
function messageOf(error: Error, name: string): string {
	// Doctor reports that the server cannot start.
	if (!(error instanceof ConfigError) || name === "doctor") return error.message;
	const problems = error.problems.map((problem) => `  - ${problem}`);
	return [`spanward ${name} cannot run with these settings:`, ...problems].join("\n");
}

// Hides the arguments from the list of processes: an address may have a password.
process.title = "spanward";
tolerateClosedOutput();
const [given = "--help", ...args] = process.argv.slice(2);
// An alias.
const name = given === "--rollback" ? "rollback" : given;
try {
	await runCommand(name, args);
} catch (error) {
	if (!(error instanceof Error)) throw error;
	// Messages of a database may contain control characters.
	process.stderr.write(`${messageOf(error, name).trimEnd().split("\n").map(printable).join("\n")}\n`);
	process.exitCode = error instanceof CommandError ? error.exitCode : error instanceof ConfigError ? EXIT_SETTINGS : 1;
}

import { CommandFailure, EXIT } from "./failure.ts";
import { runRemote } from "./run.ts";

/** Within a second, as what is waited for may not notice. */
const GIVE_UP_MS = 800;

function onOutputError(error: NodeJS.ErrnoException): void {
	// Nobody reads any more, as with `| head`: that is no failure.
	if (error.code === "EPIPE") process.exit(process.exitCode ?? EXIT.success);
	process.exitCode = EXIT.condition;
	process.stderr.write(`The output cannot be written: ${error.message}\n`);
}

function onMessageError(error: NodeJS.ErrnoException): void {
	if (error.code !== "EPIPE") process.exitCode = EXIT.condition;
}

/** Runs the program `spanward`. @returns the exit code; undefined when the command has set its own */
async function run(argv: readonly string[]): Promise<number | undefined> {
	const [first = "--help"] = argv;
	if (first === "--version") {
		const { VERSION } = await import("@spanward/server/src/http/versions.ts");
		process.stdout.write(`${VERSION}\n`);
		return EXIT.success;
	}
	const interrupt = new AbortController();
	const onInterrupt = () => {
		interrupt.abort();
		setTimeout(() => process.exit(EXIT.interrupted), GIVE_UP_MS).unref();
	};
	process.once("SIGINT", onInterrupt);
	const isHelp = ["--help", "-h", "help"].includes(first);
	const words = isHelp ? [...argv.slice(1), "--help"] : argv;
	const code = await runRemote(words, {
		stdin: process.stdin,
		stdout: process.stdout,
		stderr: process.stderr,
		environment: process.env,
		signal: interrupt.signal,
	});
	if (code !== undefined) return code;
	process.off("SIGINT", onInterrupt);
	if (isHelp && argv.length < 2) {
		const { helpOfAll } = await import("./help.ts");
		process.stdout.write(helpOfAll());
		return EXIT.success;
	}
	const { isLocalCommand, runLocalCommand } = await import("@spanward/server/src/command-line/run-local-command.ts");
	const [name = "", ...args] = words;
	if (isLocalCommand(name)) {
		// These have exit codes of their own.
		process.stdout.off("error", onOutputError);
		process.stderr.off("error", onMessageError);
		return await runLocalCommand(name, args, process.env);
	}
	const { noSuchCommand } = await import("./help.ts");
	throw new CommandFailure(EXIT.usage, noSuchCommand(name, args[0]));
}

// Hides the arguments from the list of processes: an address may have a password.
process.title = "spanward";
process.stdout.on("error", onOutputError);
// Nobody reads what is said: the command goes on.
process.stderr.on("error", onMessageError);
try {
	const code = await run(process.argv.slice(2));
	if (code !== undefined) process.exitCode = code;
} catch (error) {
	if (!(error instanceof CommandFailure)) throw error;
	process.stderr.write(`${error.message}\n`);
	process.exitCode = error.exitCode;
}

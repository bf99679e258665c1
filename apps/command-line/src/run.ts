import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./failure.ts";
import type { Io } from "./io.ts";

/** Options before the command that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(["--url", "--profile"]);

/**
 * Runs a command that asks a server.
 * @param argv the arguments of the program
 * @returns the exit code; undefined when there is no such command
 */
export async function runRemote(argv: readonly string[], io: Io): Promise<number | undefined> {
	// What the scripts of spanward completion call.
	if (argv[0] === "__complete") return await (await import("./completion/complete.ts")).complete(argv.slice(2), io);
	const found = findCommand(argv);
	if (found === undefined) return undefined;
	const { command, args } = found;
	try {
		if (args.includes("--help") || args.includes("-h")) {
			const { helpOf } = await import("./help.ts");
			io.stdout.write(helpOf(command));
			return EXIT.success;
		}
		const { Invocation } = await import("./invocation.ts");
		const [invocation, run] = [new Invocation(io, command, args), await command.load()];
		try {
			return (await run(invocation)) ?? EXIT.success;
		} finally {
			invocation.terminal.endProgress();
		}
	} catch (error) {
		const { toFailure } = await import("./to-failure.ts");
		const failure = toFailure(error, io);
		const usage = failure.exitCode === EXIT.usage ? ` See spanward ${command.name} --help.` : "";
		const { printable } = await import("@spanward/server/src/command-line/printable.ts");
		io.stderr.write(`${failure.message.split("\n").map(printable).join("\n")}${usage}\n`);
		return failure.exitCode;
	}
}

/** The command of the first words, and the arguments without them. */
function findCommand(argv: readonly string[]): { command: Command; args: string[] } | undefined {
	const words: { word: string; index: number }[] = [];
	for (let index = 0; index < argv.length && words.length < 2; index += 1) {
		const word = argv[index] ?? "";
		if (WITH_VALUE.has(word)) index += 1;
		else if (!word.startsWith("-")) words.push({ word, index });
	}
	for (const some of [words, words.slice(0, 1)]) {
		const name = some.map(({ word }) => word).join(" ");
		const command = COMMANDS.find((one) => one.name === name);
		const taken = new Set(some.map(({ index }) => index));
		if (command !== undefined) return { command, args: argv.filter((_, index) => !taken.has(index)) };
	}
	return undefined;
}

import { parseArgs } from "node:util";
import { CommandError, EXIT_USAGE } from "./command-error.ts";

interface Accepted {
	/** Options without a value, such as `--json`. */
	readonly flags?: readonly string[];
	/** Options with a value, such as `--from <url>`. */
	readonly values?: readonly string[];
	/** How many arguments that are not options are allowed. */
	readonly positionals?: readonly [least: number, most: number];
}

export interface ReadArguments {
	readonly flags: ReadonlySet<string>;
	readonly values: ReadonlyMap<string, string>;
	readonly positionals: readonly string[];
}

/**
 * Parses the arguments after the name of a command.
 * @param usage one line, which the error message ends with
 * @throws CommandError for unknown, superfluous or missing arguments
 */
export function readArguments(args: readonly string[], usage: string, accepted: Accepted): ReadArguments {
	const { flags = [], values = [], positionals: [least, most] = [0, 0] } = accepted;
	const options = Object.fromEntries([
		...flags.map((name) => [name, { type: "boolean" as const }] as const),
		...values.map((name) => [name, { type: "string" as const }] as const),
	]);
	const refuse = (reason: string) => new CommandError(EXIT_USAGE, `${reason}\nUsage: spanward ${usage}`);
	try {
		const read = parseArgs({ args: [...args], options, allowPositionals: true });
		if (read.positionals.length < least) throw refuse("An argument is missing.");
		if (read.positionals.length > most) throw refuse("There are too many arguments.");
		const given = Object.entries(read.values);
		return {
			flags: new Set(given.filter(([, value]) => value === true).map(([name]) => name)),
			values: new Map(given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []))),
			positionals: read.positionals,
		};
	} catch (error) {
		if (error instanceof CommandError || !(error instanceof Error)) throw error;
		throw refuse(error.message);
	}
}

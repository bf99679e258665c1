import type { Invocation } from "./invocation.ts";

/** What the shell completes: names that the server knows, those of log-ins, or these words. */
export type Completed = "projects" | "datasets" | "prompts" | "profiles" | readonly string[];

export interface Option {
	readonly name: string;
	/** What its value is called in the help; absent for a switch. */
	readonly value?: string;
	readonly does: string;
	/** May be given several times. */
	readonly isRepeatable?: boolean;
	/** What its value may be. */
	readonly completes?: Completed;
}

/** @returns the exit code when it is not 0 */
export type Run = (invocation: Invocation) => Promise<number | undefined>;

/** A command that asks a server. */
export interface Command {
	/** One word, or a noun and a verb. */
	readonly name: string;
	/** For the help. */
	readonly parameters?: string;
	/** How many arguments it takes that are no options. */
	readonly positionals?: readonly [least: number, most: number];
	/** What its first argument may be. */
	readonly completes?: Completed;
	readonly does: string;
	readonly options?: readonly Option[];
	readonly examples: readonly [string, ...string[]];
	/** Each command is imported when it is run. */
	readonly load: () => Promise<Run>;
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS: readonly Option[] = [
	{ name: "json", does: "for programs: an object, or one on each line of a list" },
	{ name: "quiet", does: "nothing but the answer: no notes, no progress" },
	{ name: "no-color", does: "without colours, as with NO_COLOR=1" },
	{ name: "url", value: "<address>", does: "the server, instead of SERVICE_URL or the log-in's" },
	{
		name: "profile",
		value: "<name>",
		does: "the log-in to use, of those that spanward profiles lists",
		completes: "profiles",
	},
	{ name: "help", does: "what the command does, with examples" },
];

import { once } from "node:events";
import { parseArgs } from "node:util";
import type { Spanward, SpanwardOptions } from "@spanward/client";
import { type Command, GLOBAL_OPTIONS, type Option } from "./command.ts";
import { assertOnlyOwnerReads, connectTo, findTarget, type Target } from "./connection.ts";
import { CommandFailure, EXIT, usageFailure } from "./failure.ts";
import type { Environment, Io } from "./io.ts";
import { Terminal } from "./terminal.ts";

const DEFAULT_PROJECT = "default";

/** A command that was called: its arguments, and what it writes to and asks. */
export class Invocation {
	readonly io: Io;
	readonly terminal: Terminal;
	readonly positionals: readonly string[];
	readonly #options: ReadonlyMap<string, readonly string[]>;

	/** @throws CommandFailure for arguments that the command does not take */
	constructor(io: Io, command: Command, args: readonly string[]) {
		this.io = io;
		const { options, positionals } = readArguments(command, args);
		this.#options = options;
		this.positionals = positionals;
		this.terminal = new Terminal(io, {
			json: this.has("json"),
			quiet: this.has("quiet"),
			color: !this.has("no-color"),
		});
	}

	get signal(): AbortSignal {
		return this.io.signal;
	}

	has(option: string): boolean {
		return this.#options.has(option);
	}

	value(option: string): string | undefined {
		return this.#options.get(option)?.at(-1);
	}

	values(option: string): readonly string[] {
		return this.#options.get(option) ?? [];
	}

	/** @throws CommandFailure when it is not one of them */
	choice<Choice extends string>(option: string, choices: readonly Choice[]): Choice | undefined {
		const given = this.value(option);
		const found = choices.find((choice) => choice === given);
		if (given !== undefined && found === undefined)
			throw usageFailure(`--${option} takes one of ${choices.join(", ")}.`);
		return found;
	}

	/** The argument at a position that the command needs. */
	argument(index: number): string {
		const given = this.positionals[index];
		if (given === undefined) throw usageFailure("An argument is missing.");
		return given;
	}

	/** `--limit`; undefined for `all`. */
	limit(byDefault: number): number | undefined {
		const given = this.value("limit") ?? String(byDefault);
		if (given === "all") return undefined;
		const limit = Number(given);
		if (!Number.isSafeInteger(limit) || limit < 1) throw usageFailure("--limit takes a number from 1, or all.");
		return limit;
	}

	/** `--project`, else `SERVICE_PROJECT_NAME`, else `default`. */
	get project(): string {
		return this.value("project") ?? (this.io.environment["SERVICE_PROJECT_NAME"]?.trim() || DEFAULT_PROJECT);
	}

	/** The server that is asked. */
	async target(): Promise<Target> {
		return await this.#find(this.io.environment);
	}

	/** The same, with what is kept of a log-in, whatever `SERVICE_API_KEY` says. */
	async logIn(): Promise<Target> {
		return await this.#find({ ...this.io.environment, SERVICE_API_KEY: undefined });
	}

	async #find(environment: Environment): Promise<Target> {
		await assertOnlyOwnerReads(this.io);
		return await findTarget({ environment }, { url: this.value("url"), profile: this.value("profile") });
	}

	async connect(options?: SpanwardOptions): Promise<Spanward> {
		return connectTo(await this.target(), this.io, options);
	}

	/**
	 * Asks on a terminal; who calls without one has to say `--yes`.
	 * @throws CommandFailure unless it is confirmed
	 */
	async confirm(question: string): Promise<void> {
		if (this.has("yes")) return;
		const { stdin, stderr } = this.io;
		if (!stdin.isTTY) throw usageFailure(`${question} Nothing was done: say --yes to do it.`);
		const { createInterface } = await import("node:readline/promises");
		// Not as a terminal, where readline would take Ctrl-C for itself.
		const prompt = createInterface({ input: stdin, output: stderr, terminal: false });
		try {
			// Ctrl-D ends the input without an answer.
			const answer = await Promise.race([
				prompt.question(`${question} Type yes: `, { signal: this.signal }),
				once(prompt, "close").then(() => ""),
			]);
			if (answer.trim().toLowerCase() !== "yes") throw new CommandFailure(EXIT.condition, "Nothing was done.");
		} finally {
			prompt.close();
		}
	}
}

interface ReadArguments {
	readonly options: ReadonlyMap<string, readonly string[]>;
	readonly positionals: readonly string[];
}

function readArguments(command: Command, args: readonly string[]): ReadArguments {
	const known = [...GLOBAL_OPTIONS, ...(command.options ?? [])];
	try {
		const { values, positionals } = parseArgs({
			args: joinNegativeNumbers(args, known),
			options: Object.fromEntries(
				known.map(({ name, value }) => [name, { type: value === undefined ? "boolean" : "string", multiple: true }]),
			),
			allowPositionals: true,
		});
		const options = new Map<string, readonly string[]>();
		for (const [name, given] of Object.entries(values)) {
			const all = Array.isArray(given) ? given.map(String) : [];
			if (all.length > 1 && known.some((option) => option.name === name && option.value && !option.isRepeatable))
				throw usageFailure(`--${name} was given ${all.length} times, and there is one.`);
			options.set(name, all);
		}
		const [least, most] = command.positionals ?? [0, 0];
		if (positionals.length < least) throw usageFailure(`An argument is missing: ${command.parameters ?? ""}.`);
		if (positionals.length > most)
			throw usageFailure(most === 0 ? "It takes no arguments." : "There are too many arguments.");
		return { options, positionals };
	} catch (error) {
		if (error instanceof CommandFailure) throw error;
		// What parseArgs throws has a code of its own.
		if (!(error instanceof TypeError)) throw error;
		throw usageFailure(error.message.split(". ")[0]?.replace(/\.?$/, ".") ?? error.message);
	}
}

/** `--score -1` is a value, not another option. */
function joinNegativeNumbers(args: readonly string[], known: readonly Option[]): string[] {
	const joined: string[] = [];
	for (const arg of args) {
		const before = joined.at(-1);
		const takesValue = known.some(({ name, value }) => value !== undefined && before === `--${name}`);
		if (takesValue && /^-[\d.]/.test(arg)) joined.splice(-1, 1, `${before}=${arg}`);
		else joined.push(arg);
	}
	return joined;
}

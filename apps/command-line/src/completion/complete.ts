import { ApiError, ConnectionError, type Paged, type Spanward } from "@spanward/client";
import { COMMANDS as LOCAL_COMMANDS } from "@spanward/server/src/command-line/commands.ts";
import { type Command, type Completed, GLOBAL_OPTIONS } from "../command.ts";
import { COMMANDS } from "../commands.ts";
import { connectTo, findTarget } from "../connection.ts";
import { readCredentials } from "../credentials.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Io } from "../io.ts";

/** Who waits for a completion does not wait long. */
const WITHIN_MS = 3_000;
const MOST = 200;
/** Names with others would say something else in a shell, or to a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * What the last of the words may become, one a line; the scripts of `spanward completion` ask for it.
 * @param words those after the name of the program, up to where the cursor is
 */
export async function complete(words: readonly string[], io: Io): Promise<number> {
	const before = words.slice(0, -1);
	const prefix = words.at(-1) ?? "";
	const candidates = await candidatesOf(before, prefix, io);
	const fitting = [...new Set(candidates)].filter((name) => name.startsWith(prefix) && !UNSEEN.test(name));
	io.stdout.write(fitting.map((name) => `${name}\n`).join(""));
	return EXIT.success;
}

async function candidatesOf(before: readonly string[], prefix: string, io: Io): Promise<readonly string[]> {
	const { command, positionals } = commandOf(before);
	const options = [...GLOBAL_OPTIONS, ...(command?.options ?? [])];
	const last = before.at(-1);
	const open = options.find(({ name, value }) => value !== undefined && last === `--${name}`);
	if (open !== undefined) return open.completes === undefined ? [] : await namesOf(open.completes, before, prefix, io);
	if (prefix.startsWith("-")) return options.map(({ name }) => `--${name}`);
	const verbs = nextWords(positionals);
	if (verbs.length > 0) return verbs;
	if (command?.completes === undefined) return [];
	const [noun, verb] = command.name.split(" ");
	const own = positionals.slice(verb === undefined ? (noun === undefined ? 0 : 1) : 2);
	return own.length === 0 ? await namesOf(command.completes, before, prefix, io) : [];
}

/** The words that are no options, and the command that they begin with. */
function commandOf(before: readonly string[]): { command: Command | undefined; positionals: readonly string[] } {
	const withValue = new Set(
		[...GLOBAL_OPTIONS, ...COMMANDS.flatMap(({ options = [] }) => options)].flatMap(({ name, value }) =>
			value === undefined ? [] : [`--${name}`],
		),
	);
	const positionals = before.filter((word, index) => !word.startsWith("-") && !withValue.has(before[index - 1] ?? ""));
	const of = (count: number) => COMMANDS.find(({ name }) => name === positionals.slice(0, count).join(" "));
	return { command: (positionals.length > 1 ? of(2) : undefined) ?? of(1), positionals };
}

/** Nouns, or the verbs of one. */
function nextWords(positionals: readonly string[]): string[] {
	if (positionals.length > 1) return [];
	const names = COMMANDS.map(({ name }) => name.split(" "));
	if (positionals.length === 0) return [...names.flatMap(([noun]) => noun ?? []), ...LOCAL_COMMANDS.keys()];
	return names.flatMap(([noun, verb]) => (noun === positionals[0] && verb !== undefined ? [verb] : []));
}

async function namesOf(kind: Completed, before: readonly string[], prefix: string, io: Io): Promise<readonly string[]> {
	if (typeof kind !== "string") return kind;
	if (kind === "profiles") return Object.keys((await readCredentials(io.environment)).profiles);
	const given = (option: string) => before[before.indexOf(`--${option}`) + 1];
	const signal = AbortSignal.any([io.signal, AbortSignal.timeout(WITHIN_MS)]);
	try {
		const target = await findTarget(io, {
			url: before.includes("--url") ? given("url") : undefined,
			profile: before.includes("--profile") ? given("profile") : undefined,
		});
		const spanward = connectTo(target, { environment: io.environment, signal }, { retries: { attempts: 1 } });
		return (await listOf(kind, spanward, prefix).toArray(MOST)).map(({ name }) => name);
	} catch (error) {
		// Without a server, an answer in time or the right to it there is nothing to complete.
		const isExpected = error instanceof ApiError || error instanceof ConnectionError || error instanceof CommandFailure;
		if (isExpected || signal.aborted) return [];
		throw error;
	}
}

function listOf(
	kind: "projects" | "datasets" | "prompts",
	spanward: Spanward,
	prefix: string,
): Paged<{ name: string }> {
	const named = prefix === "" ? {} : { name_contains: prefix };
	if (kind === "projects") return spanward.projects.list({ ...named, limit: MOST });
	return kind === "prompts" ? spanward.prompts.list({ ...named, limit: MOST }) : spanward.datasets.list();
}

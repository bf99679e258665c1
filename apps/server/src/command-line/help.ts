import { editDistance } from "#base/settings/unknown-variables.ts";
import { COMMANDS, type Command } from "./commands.ts";

const NAME_COLUMN = 19;
const OPTION_COLUMN = 29;

/** The text of `spanward --help`. */
export function helpOfAll(): string {
	const commands = [...COMMANDS].flatMap(([name, command]) => [
		...described([name, command.parameters].filter(Boolean).join(" "), command.does, NAME_COLUMN, 2),
		...optionsOf(command),
	]);
	return `Usage: spanward <command>

${commands.join("\n")}
  --help           this text; after a command, of that one
  --version        the version

Settings are environment variables, as for the server: docs/settings.md.
doctor, backup and verify change nothing and can run while the server is running.
${EXIT_CODES}
The server itself is started by npm start.
`;
}

const EXIT_CODES = `Exit codes: 0 success, 1 something failed, 64 invalid arguments, 65 invalid data, 78 invalid settings,
141 the output was not read to the end.`;

/** The text of `spanward <command> --help`. */
export function helpOf(name: string, command: Command): string {
	const options = command.options === undefined ? [] : ["", ...optionsOf(command)];
	const parameters = [command.parameters, command.options === undefined ? undefined : "[options]"].filter(Boolean);
	return `Usage: ${["spanward", name, ...parameters].join(" ")}

${[...command.does.map((line) => `  ${line}`), ...options].join("\n")}

Settings are environment variables, as for the server: docs/settings.md.
`;
}

function optionsOf({ options = [] }: Command): string[] {
	return options.flatMap(([option, does]) => described(option, [does], OPTION_COLUMN, 6));
}

/** A name and its description in a second column; on the next line when the name is too long. */
function described(name: string, does: readonly string[], column: number, indent: number): string[] {
	const start = `${" ".repeat(indent)}${name}`;
	const rest = does.map((line) => `${" ".repeat(column)}${line}`);
	if (start.length > column - 2) return [start, ...rest];
	return [`${start.padEnd(column)}${does[0] ?? ""}`, ...rest.slice(1)];
}

/** The message for an unknown command. Repeats only names, as an address may have a password. */
export function noSuchCommand(name: string): string {
	const isName = /^-{0,2}[a-z][a-z-]{0,29}$/i.test(name);
	const near = isName ? [...COMMANDS.keys()].filter((known) => isNear(name.toLowerCase(), known)) : [];
	const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
	return (
		`There is no command${isName ? ` ${name}` : " of that name"}.${meant}\n` +
		`Commands: ${[...COMMANDS.keys()].join(", ")}. spanward --help says what they do.`
	);
}

/** Whether one name begins with the other, or they differ by two edits at most. */
function isNear(name: string, known: string): boolean {
	return (name.length > 2 && (known.startsWith(name) || name.startsWith(known))) || editDistance(name, known) <= 2;
}

import { editDistance } from "#base/settings/unknown-variables.ts";
import type { Command } from "./commands.ts";

const OPTION_COLUMN = 29;

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
	return options.flatMap(([option, does]) => described(option, does));
}

/** A name and its description in a second column; on the next line when the name is too long. */
function described(name: string, does: string): string[] {
	const start = `      ${name}`;
	if (start.length > OPTION_COLUMN - 2) return [start, `${" ".repeat(OPTION_COLUMN)}${does}`];
	return [`${start.padEnd(OPTION_COLUMN)}${does}`];
}

/** The names that one may have been meant by: it begins like them, or differs by two edits at most. */
export function nearNames(given: string, names: readonly string[]): string[] {
	const name = given.toLowerCase();
	return names.filter(
		(known) =>
			(name.length > 2 && (known.startsWith(name) || name.startsWith(known))) || editDistance(name, known) <= 2,
	);
}

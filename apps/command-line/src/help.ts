import { COMMANDS as LOCAL_COMMANDS } from "@spanward/server/src/command-line/commands.ts";
import { nearNames } from "@spanward/server/src/command-line/help.ts";
import { type Command, GLOBAL_OPTIONS, type Option } from "./command.ts";
import { COMMANDS } from "./commands.ts";

const WIDTH = 79;

/** The text of `spanward --help`: at most 24 lines of 79 columns. */
export function helpOfAll(): string {
	return `Usage: spanward <command> [options]     spanward <command> --help has examples

Ask a server, over the network (docs/command-line.md):
${wrapped(groups(), ", ")}

Run a server (docs/settings.md has the variables that set it up):
${wrapped([...LOCAL_COMMANDS.keys()], ", ")}

Options of commands that ask a server:
  --url <address>   the server; else SERVICE_URL, else that of spanward login
  --profile <name>  another log-in; SERVICE_API_KEY is used instead of its key
  --json            for programs; --quiet: no notes; --no-color, as NO_COLOR=1
  --version         the version of Spanward

Exit codes: 0 success, 1 a condition is not met, 2 wrong usage, 3 not allowed,
4 not found, 5 no server or its fault; doctor and the others have their own.
`;
}

/** Verbs of one noun together: `traces list|tail`. */
function groups(): string[] {
	const verbs = new Map<string, string[]>();
	for (const { name } of COMMANDS) {
		const [noun = "", verb] = name.split(" ");
		const known = verbs.get(noun) ?? [];
		verbs.set(noun, verb === undefined ? known : [...known, verb]);
	}
	return [...verbs].map(([noun, all]) => [noun, all.join("|")].filter(Boolean).join(" "));
}

function wrapped(items: readonly string[], separator: string): string {
	const lines: string[] = [];
	let line = " ";
	for (const [index, item] of items.entries()) {
		const text = `${item}${index === items.length - 1 ? "" : separator.trimEnd()}`;
		if (line.length + text.length + 1 > WIDTH) {
			lines.push(line);
			line = " ";
		}
		line += ` ${text}`;
	}
	return [...lines, line].join("\n");
}

/** The text of `spanward <command> --help`. */
export function helpOf({ name, parameters, does, options = [], examples }: Command): string {
	const usage = ["Usage: spanward", name, parameters, "[options]"].filter(Boolean).join(" ");
	const own = options.length === 0 ? "" : `\nOptions:\n${options.map(optionLine).join("\n")}\n`;
	const others = GLOBAL_OPTIONS.filter(({ name: option }) => option !== "help").map(
		({ name: option }) => `--${option}`,
	);
	return `${usage}

${paragraph(does)}
${own}
Examples:
${examples.map((example) => `  ${example}`).join("\n")}

Also: ${others.join(", ")}.
`;
}

function optionLine({ name, value, does }: Option): string {
	const start = `  --${name}${value === undefined ? "" : ` ${value}`}`;
	return start.length > 24 ? `${start}\n${" ".repeat(26)}${does}` : `${start.padEnd(26)}${does}`;
}

function paragraph(text: string): string {
	const lines: string[] = [""];
	for (const word of text.split(" ")) {
		const line = lines.at(-1) ?? "";
		if (line.length + word.length + 1 > WIDTH) lines.push(word);
		else lines.splice(-1, 1, line === "" ? word : `${line} ${word}`);
	}
	return lines.join("\n");
}

/** The message for words that are no command. Repeats only names, as an address may have a password. */
export function noSuchCommand(first: string, second: string | undefined): string {
	const isName = (text: string) => /^-{0,2}[a-z][a-z-]{0,29}$/i.test(text);
	const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
	if (verbs.length > 0) {
		const given = second !== undefined && isName(second) ? ` ${second}` : "";
		return `There is no command ${first}${given}: ${verbs.map((name) => `spanward ${name}`).join(", ")}.`;
	}
	const nouns = [...new Set(COMMANDS.map(({ name }) => name.split(" ")[0] ?? ""))];
	const names = [...nouns, ...LOCAL_COMMANDS.keys()];
	const near = isName(first) ? nearNames(first, names) : [];
	const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
	return (
		`There is no command${isName(first) ? ` ${first}` : " of that name"}.${meant}\n` +
		`Commands: ${names.join(", ")}. spanward --help says more.`
	);
}

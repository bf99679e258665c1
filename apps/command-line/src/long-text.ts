import type { Invocation } from "./invocation.ts";
import { toJson } from "./terminal.ts";

/** Characters of a text that are shown of its beginning and of its end, unless `--full` is given. */
const HEAD = 1_500;
const TAIL = 300;

/** A name, and below it a text of others or a value as JSON; a long one without its middle. */
export async function printText(invocation: Invocation, name: string, value: unknown): Promise<void> {
	if (value === undefined || value === null || value === "") return;
	const { terminal } = invocation;
	const text = typeof value === "string" ? value : toJson(value, "  ");
	const lines = terminal.lines(invocation.has("full") ? text : withoutMiddle(text, terminal.cutMark));
	const [first = ""] = lines;
	const shownName = terminal.style(terminal.oneLine(name), "cyan");
	if (lines.length === 1 && first.length < 100) return await terminal.print(`${shownName}  ${first}`);
	await terminal.print(shownName);
	for (const line of lines) await terminal.print(`    ${line}`);
}

function withoutMiddle(text: string, mark: string): string {
	const left = text.length - HEAD - TAIL;
	if (left <= TAIL) return text;
	return `${text.slice(0, HEAD)}\n${mark} ${left} more characters: --full ${mark}\n${text.slice(-TAIL)}`;
}

import { writeFile } from "node:fs/promises";
import { formatPrompt, toOpenAI } from "@spanward/client";
import type { Invocation } from "../invocation.ts";
import { toJson } from "../terminal.ts";
import { contentOf, findVersion } from "./version.ts";

const FORMATS = ["json", "openai", "text"] as const;

/** `spanward prompts pull`: a version, as `prompts push` reads it, or as OpenAI's chat completions take it. */
export async function pullPrompt(invocation: Invocation): Promise<undefined> {
	const { terminal } = invocation;
	const spanward = await invocation.connect();
	const version = await findVersion(spanward, invocation.argument(0), invocation.value("tag") ?? "latest");
	const format = invocation.choice("format", FORMATS) ?? "json";
	const output = invocation.value("output");
	if (terminal.isJson && output === undefined) {
		await terminal.printJson(version);
		return undefined;
	}
	const unfilled = { ...version, template_format: "NONE" } as const;
	const messages = formatPrompt(unfilled).map(
		({ role, content }) => `[${role}]\n${typeof content === "string" ? content : toJson(content, "  ")}\n`,
	);
	const text = {
		json: () => `${toJson(contentOf(version), "  ")}\n`,
		openai: () => `${toJson(toOpenAI(unfilled), "  ")}\n`,
		text: () => messages.join("\n"),
	}[format]();
	if (output !== undefined) {
		await writeFile(output, text);
		terminal.note(`Wrote version ${version.id} to ${output}.`);
	} else if (terminal.height === undefined) await terminal.write(text);
	else for (const line of terminal.lines(text.trimEnd())) await terminal.print(line);
	return undefined;
}

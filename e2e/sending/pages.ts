import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../docs/sending");

/** A section of a page below docs/sending that says how to send: what to install, a file, and how to run it. */
export interface Recipe {
	/** Of the file, without its ending. */
	readonly page: string;
	/** Of page and heading, such as `python-openai`; names its environment and its versions. */
	readonly name: string;
	/** What stands behind `pip install` and `npm install`, in the order of the lines. */
	readonly pip: readonly string[];
	readonly npm: readonly string[];
	readonly file: { readonly name: string; readonly code: string };
	/** The lines of shell that run it. */
	readonly commands: string;
	/** What the page's section "With authentication on" sets before; undefined when there is none. */
	readonly credentials: string | undefined;
}

interface Block {
	readonly language: string;
	readonly code: string;
}

/** Every recipe of the pages, in the order of their names. */
export function listRecipes(): Recipe[] {
	return readdirSync(FOLDER)
		.filter((name) => name.endsWith(".md"))
		.toSorted()
		.flatMap(readRecipes);
}

/** The pages, by their names below docs/sending. */
export function listPages(): string[] {
	return readdirSync(FOLDER).toSorted();
}

function readRecipes(page: string): Recipe[] {
	const sections = readFileSync(join(FOLDER, page), "utf8").split(/^## /m).slice(1);
	const credentials = sections.find((text) => text.startsWith("With authentication on\n"));
	const shown = credentials === undefined ? undefined : shell(blocksOf(credentials));
	return sections.flatMap((text) => readRecipe(page, text, shown) ?? []);
}

function readRecipe(page: string, section: string, credentials: string | undefined): Recipe | undefined {
	const [title = ""] = section.split("\n", 1);
	const blocks = blocksOf(section);
	const file = blocks.map(({ code }) => /^(?:#|\/\/) (\S+\.(?:py|mjs))\n/.exec(code)).find((match) => match !== null);
	if (file === undefined) return undefined;
	const lines = shell(blocks).split("\n");
	const installed = (command: string) =>
		lines.filter((line) => line.startsWith(command)).flatMap((line) => words(line.slice(command.length)));
	const name = page.replace(/\.md$/, "");
	return {
		page: name,
		name: `${name}-${slug(title)}`,
		pip: installed("pip install "),
		npm: installed("npm install "),
		file: { name: file[1] ?? "", code: file.input },
		commands: lines.filter((line) => !/^(?:pip|npm) install /.test(line)).join("\n"),
		credentials,
	};
}

function blocksOf(section: string): Block[] {
	return Array.from(section.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = "", code = ""]) => ({
		language,
		code,
	}));
}

function shell(blocks: readonly Block[]): string {
	return blocks
		.filter(({ language }) => language === "sh")
		.map(({ code }) => code.trimEnd())
		.join("\n");
}

function slug(title: string): string {
	return title
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-|-$/g, "");
}

function words(text: string): string[] {
	return text
		.split(/\s+/)
		.map((word) => word.replaceAll('"', ""))
		.filter((word) => word !== "");
}

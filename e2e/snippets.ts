import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestServer } from "./server.ts";

const ROOT = join(import.meta.dirname, "..");

/** The code blocks of a document in a language, sent to `server` instead of the addresses that documents name. */
export function readSnippets(file: string, language: string, server: TestServer): string[] {
	const text = readFileSync(join(ROOT, file), "utf8");
	const blocks = Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, name, code = ""]) => ({ name, code }));
	return blocks
		.filter(({ name }) => name === language)
		.map(({ code }) =>
			code
				.replaceAll("http://localhost:6006", server.url)
				.replaceAll("http://localhost:4317", `http://${server.grpcAddress}`),
		);
}

/** The first one that contains `part`. @throws when there is none */
export function findSnippet(file: string, language: string, part: string, server: TestServer): string {
	const snippet = readSnippets(file, language, server).find((code) => code.includes(part));
	if (snippet === undefined) throw new Error(`${file} has no ${language} with ${part}`);
	return snippet;
}

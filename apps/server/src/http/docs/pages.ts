import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProblemCode } from "#base/problems.ts";

/** Comes with every installation; a missing one leaves out the pages alone. */
const FOLDER = join(import.meta.dirname, "../../../../../docs");

/** A name has no dot, so it cannot lead out of the folder. */
const PAGE = /^(?:[a-z-]+\/)?[A-Za-z0-9-]+$/;
const IMAGE = /^images\/[a-z0-9-]+\.png$/;
const PROBLEM = /^problems\/([a-z0-9_]+)$/;

/**
 * The Markdown of a page of `docs`, or of a code of an error.
 * @param name of its file without `.md`: `sign-in/okta`, `problems/trace_not_found`
 */
export async function findPage(name: string): Promise<string | undefined> {
	const [, code] = PROBLEM.exec(name) ?? [];
	if (code !== undefined) return await problemPage(code);
	return PAGE.test(name) ? (await readIfThere(`${name}.md`))?.toString() : undefined;
}

/** A picture of a page, as PNG. */
export async function findImage(name: string): Promise<Buffer | undefined> {
	return IMAGE.test(name) ? await readIfThere(name) : undefined;
}

async function problemPage(code: string): Promise<string | undefined> {
	// Most servers are never asked about one.
	const { PROBLEMS } = await import("#base/problems.ts");
	for (const problems of Object.values(PROBLEMS)) {
		if (!Object.hasOwn(problems, code)) continue;
		const text = (problems as Readonly<Partial<Record<ProblemCode, string>>>)[code as ProblemCode] ?? "";
		return `# ${code}\n\n${withLinksFromBelow(text)}\n\n[All codes](../problems.md) · [Limits and errors](../limits-and-errors.md)\n`;
	}
	return undefined;
}

/** The texts have links as from a page of `docs`. */
function withLinksFromBelow(text: string): string {
	return text.replaceAll(/\]\((?!https:)/g, "](../");
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
	try {
		return await readFile(join(FOLDER, path));
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
		throw error;
	}
}

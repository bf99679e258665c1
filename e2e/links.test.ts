import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const PAGES = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { cwd: ROOT })
	.toString()
	.split("\n")
	.filter((path) => path !== "" && existsSync(join(ROOT, path)));

/** What a page refers to, as paths from the root with their anchors. Pictures too; other sites not. */
function linksOf(page: string): string[] {
	const text = readFileSync(join(ROOT, page), "utf8").replaceAll(/^ *```.*?^ *```$/gms, "");
	return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, target = ""]) => target)
		.filter((target) => !/^[a-z]+:/.test(target))
		.map((target) => (target.startsWith("#") ? page + target : join(dirname(page), target)));
}

/** As GitHub makes anchors of headings. */
function anchorsOf(page: string): string[] {
	const headings = readFileSync(join(ROOT, page), "utf8").matchAll(/^#+ (.+)$/gm);
	return Array.from(headings, ([, title = ""]) =>
		title
			.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-"),
	);
}

test("what the documents link to is there", () => {
	const broken = PAGES.flatMap((page) =>
		linksOf(page)
			.filter((link) => {
				const [path = "", anchor] = link.split("#");
				if (!existsSync(join(ROOT, path))) return true;
				return anchor !== undefined && path.endsWith(".md") && !anchorsOf(path).includes(anchor);
			})
			.map((link) => `${page}: ${link}`),
	);
	expect(PAGES).toContain("README.md");
	expect(broken).toEqual([]);
});

test("every row of a table has as many cells as its heading", () => {
	const uneven = PAGES.flatMap((page) => {
		const tables = readFileSync(join(ROOT, page), "utf8")
			.replaceAll(/^ *```.*?^ *```$/gms, "")
			.matchAll(/(?:^\|.*\n)+/gm);
		return Array.from(tables).flatMap(([table]) => {
			const rows = table.trimEnd().split("\n");
			const cells = rows.map((row) => row.replaceAll("\\|", "").split("|").length);
			return rows.filter((_, index) => cells[index] !== cells[0]).map((row) => `${page}: ${row}`);
		});
	});
	expect(uneven).toEqual([]);
});

test("the files and folders that CONTRIBUTING.md names are there", () => {
	const text = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
	const paths = Array.from(
		text.matchAll(/`((?:apps|packages|clients|e2e|bench|fixtures|docs|scripts|deploy)\/[\w./-]*)`/g),
	);
	expect(paths.length).toBeGreaterThan(10);
	expect(paths.map(([, path = ""]) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test.each([
	["docs/README.md", /^docs\/[\w-]+\.md$/],
	["docs/decisions/README.md", /^docs\/decisions\/\d{4}-[\w-]+\.md$/],
	["docs/sign-in/README.md", /^docs\/sign-in\/[\w-]+\.md$/],
])("%s lists every page beside it", (index, pages) => {
	const linked = linksOf(index).map((link) => relative(".", link.split("#")[0] ?? ""));
	expect(PAGES.filter((page) => pages.test(page) && page !== index && !linked.includes(page))).toEqual([]);
});

/** npx would fetch a stranger's package of the name wherever it does not find ours. */
test("no document tells to run a package of the registry, which has none of ours", () => {
	const documents = PAGES.filter((page) => /^(docs\/.*|clients\/[^/]+\/|deploy\/.*|)[^/]+\.md$/.test(page));
	expect(documents.length).toBeGreaterThan(40);
	for (const document of documents) {
		expect(readFileSync(join(ROOT, document), "utf8"), document).not.toMatch(
			/npx (?!--no )\S*spanward|npm (?:install|i|add) (?:[^\n]* )?@?spanward\b|pip install spanward/,
		);
	}
});

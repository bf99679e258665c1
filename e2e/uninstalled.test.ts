import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runToEnd } from "./peers/process.ts";

const ROOT = join(import.meta.dirname, "..");

test("before anything is installed, the clone's own command says what to do, from wherever it is called", async () => {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-uninstalled-"));
	cleanup.defer(() => rm(folder, { recursive: true }));
	for (const path of ["package.json", "scripts", "apps/server/bin", "apps/server/package.json", "spanward"])
		await cp(join(ROOT, path), join(folder, "clone", path), { recursive: true, verbatimSymlinks: true });
	await symlink(join(folder, "clone/spanward"), join(folder, "linked"));
	for (const command of ["clone/spanward", "linked"])
		await expect(runToEnd(join(folder, command), ["--version"], { cwd: folder })).rejects.toThrow("run npm start once");
});

/** npx would fetch a stranger's package of the name wherever it does not find ours. */
test("no document tells to run a package of the registry, which has none of ours", async () => {
	const documents = (await readdir(ROOT, { recursive: true, withFileTypes: true }))
		.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
		.filter((path) => /^(docs\/.*|clients\/[^/]+\/|deploy\/.*|)[^/]+\.md$/.test(path));
	expect(documents.length).toBeGreaterThan(40);
	for (const document of documents) {
		const text = await readFile(join(ROOT, document), "utf8");
		expect(text, document).not.toMatch(
			/npx (?!--no )\S*spanward|npm (?:install|i|add) (?:[^\n]* )?@?spanward\b|pip install spanward/,
		);
	}
});

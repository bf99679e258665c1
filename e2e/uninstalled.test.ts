import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
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

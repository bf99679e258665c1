import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runToEnd } from "./peers/process.ts";

const ROOT = join(import.meta.dirname, "..");

test("before anything is installed, npx spanward runs the clone's own command and not a package of that name", async () => {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-uninstalled-"));
	cleanup.defer(() => rm(folder, { recursive: true }));
	for (const path of ["package.json", "scripts", "apps/server/bin", "apps/server/package.json"])
		await cp(join(ROOT, path), join(folder, "clone", path), { recursive: true });
	const env = { npm_config_offline: "true", npm_config_cache: join(folder, "cache") };
	await expect(runToEnd("npx", ["spanward", "--version"], { cwd: join(folder, "clone"), env })).rejects.toThrow(
		"run npm start once",
	);
});

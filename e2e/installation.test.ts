import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const run = promisify(execFile);

async function writeJson(path: string, value: object): Promise<void> {
	await mkdir(join(path, ".."), { recursive: true });
	await writeFile(path, JSON.stringify(value));
}

/** A clone whose packages are files beside it, so that npm installs them in a moment and without a registry. */
async function smallClone(folder: string): Promise<string> {
	const clone = join(folder, "clone");
	const cache = { npm_config_cache: join(folder, "cache"), npm_config_offline: "true" };
	const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
	const nodes = Object.keys(optionalDependencies);
	for (const name of [...nodes, "for-the-server", "for-the-page", "for-tests"]) {
		const source = join(folder, "sources", name);
		await writeJson(join(source, "package.json"), { name, version: "1.0.0" });
		if (nodes.includes(name)) {
			for (const file of ["bin/node", "bin/node.exe", "include/node.h"])
				await mkdir(join(source, file, ".."), { recursive: true }).then(() => writeFile(join(source, file), ""));
		}
	}
	await mkdir(join(clone, "packed"), { recursive: true });
	const sources = (await readdir(join(folder, "sources"))).map((name) => join(folder, "sources", name));
	await run("npm", ["pack", "--pack-destination", join(clone, "packed"), ...sources], { cwd: clone, env: env(cache) });
	const packed = (name: string, up = "") => ({ [name]: `file:${up}packed/${name}-1.0.0.tgz` });
	const workspace = (name: string, contents: object) =>
		writeJson(join(clone, name, "package.json"), { name: name.replace("/", "-"), version: "1.0.0", ...contents });
	await writeJson(join(clone, "package.json"), {
		name: "clone",
		version: "1.0.0",
		workspaces: ["apps/*", "e2e"],
		devDependencies: packed("for-tests"),
		optionalDependencies: Object.assign({}, ...nodes.map((name) => packed(name))),
	});
	await workspace("apps/command-line", {});
	await workspace("apps/server", { dependencies: packed("for-the-server", "../../") });
	await workspace("apps/web", { dependencies: packed("for-the-page", "../../") });
	await workspace("e2e", { devDependencies: packed("for-tests", "../") });
	await cp(join(ROOT, "scripts/setup.mjs"), join(clone, "scripts/setup.mjs"));
	await run("npm", ["install", "--package-lock-only"], { cwd: clone, env: env(cache) });
	return clone;
}

function env(more: Readonly<Record<string, string>>) {
	return { PATH: process.env["PATH"], HOME: process.env["HOME"], npm_config_update_notifier: "false", ...more };
}

test("installs what the server and the page need, the rest when it is asked for, and again after an interruption", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-installation-"));
	try {
		const clone = await smallClone(folder);
		const install = async (extent: "product" | "everything") => {
			const code = `const { installDependencies } = await import("./scripts/setup.mjs"); console.log(await installDependencies("${extent}"))`;
			const cache = { npm_config_cache: join(folder, "cache"), npm_config_offline: "true", NODE_ENV: "production" };
			const done = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: clone, env: env(cache) });
			expect(existsSync(done.stdout.trim().split("\n").at(-1) ?? "")).toBe(true);
			return done.stderr.includes("Installing dependencies");
		};
		const has = (path: string) => existsSync(join(clone, "node_modules", path));

		expect(await install("product")).toBe(true);
		expect([has("for-the-server"), has("for-the-page"), has("for-tests")]).toEqual([true, true, false]);
		expect(await install("product")).toBe(false);
		expect(await install("everything")).toBe(true);
		expect([has("for-the-server"), has("for-the-page"), has("for-tests")]).toEqual([true, true, true]);
		expect(await install("product")).toBe(false);

		// What npm has not done when it is interrupted: it writes this last.
		await rm(join(clone, "node_modules/.package-lock.json"));
		await rm(join(clone, "node_modules/for-the-page"), { recursive: true });
		expect(await install("product")).toBe(true);
		expect(has("for-the-page")).toBe(true);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});

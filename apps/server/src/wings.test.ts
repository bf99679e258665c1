import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const BIOME = join(ROOT, "node_modules/@biomejs/biome/bin/biome");

/** Each imports only those before it. */
const WINGS = ["base", "pricing", "storage", "http", "access", "ingest", "operations", "resources", "command-line"];

type Planted = readonly [file: string, imports: string];

/** The planted imports that the linter refuses with the settings of `npm run check`, in a folder of their own. */
function refusedOf(planted: readonly Planted[]): readonly Planted[] {
	const folder = mkdtempSync(join(tmpdir(), "spanward-wings-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	copyFileSync(join(ROOT, "biome.json"), join(folder, "biome.json"));
	const fileOf = (file: string, at: number) => `apps/server/src/${file.replace(/\.ts$/, `-${at}.ts`)}`;
	for (const [at, [file, imports]] of planted.entries()) {
		const path = join(folder, fileOf(file, at));
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `import { planted } from "${imports}";\n\nplanted();\n`);
	}
	const args = [BIOME, "lint", "--only=style/noRestrictedImports", "--max-diagnostics=none", "--colors=off"];
	const { error, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
	if (error !== undefined) throw error;
	const printed = `${stdout}${stderr}`;
	expect(printed).toContain(`Checked ${planted.length + 1} files`);
	return planted.filter(([file], at) => printed.includes(`${fileOf(file, at)}:`));
}

it("refuses an import of a wing above, at any depth, and takes those of the wings below", () => {
	const up: Planted[] = [];
	const down: Planted[] = [];
	for (const [at, wing] of WINGS.entries()) {
		for (const above of WINGS.slice(at + 1)) {
			up.push([`${wing}/planted.ts`, `#${above}/there.ts`]);
			up.push([`${wing}/deep/er/still/planted.ts`, `#${above}/deep/there.ts`]);
			down.push([`${above}/planted.ts`, `#${wing}/there.ts`]);
			down.push([`${above}/deep/er/still/planted.ts`, `#${wing}/deep/there.ts`]);
		}
		up.push([`${wing}/deep/planted.ts`, "#app.ts"]);
		down.push([`${wing}/deep/planted.ts`, "#context.ts"]);
	}
	expect(refusedOf([...up, ...down])).toEqual(up);
});

it("refuses ways around the spelling from the root, and routes of another resource", () => {
	const refused: Planted[] = [
		["storage/traces/sqlite/planted.ts", "../../../access/auth/audit.ts"],
		["storage/planted.ts", "../access/auth/audit.ts"],
		["resources/traces/planted.ts", "../spans/table-routes.ts"],
		["resources/experiments/planted.ts", "../datasets/labels/routes.ts"],
		["resources/traces/planted.ts", "#resources/spans/routes.ts"],
		["access/auth/passwords/planted.ts", "#access/users/queries.ts"],
		["access/auth/planted.ts", "../oauth2/providers.ts"],
	];
	const taken: Planted[] = [
		["storage/traces/planted.ts", "../schema.ts"],
		["resources/traces/planted.ts", "./stream-routes.ts"],
		["resources/datasets/planted.ts", "./labels/routes.ts"],
		["resources/datasets/labels/planted.ts", "../queries.ts"],
		["resources/traces/planted.ts", "../spans/queries.ts"],
		["access/users/planted.ts", "../auth/audit.ts"],
	];
	expect(refusedOf([...refused, ...taken])).toEqual(refused);
});

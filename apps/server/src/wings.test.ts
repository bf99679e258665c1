import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const BIOME = join(ROOT, "node_modules/@biomejs/biome/bin/biome");

/** Each imports only those before it. */
const WINGS = [
	"base",
	"pricing",
	"storage",
	"http",
	"access",
	"ingest",
	"operations",
	"models",
	"evaluation",
	"resources",
	"agents",
	"command-line",
];

type Planted = readonly [file: string, imports: string];

/** What the linter prints of files in `apps/server/src` of a folder of their own, with the settings of `npm run check`. */
function lint(files: ReadonlyMap<string, string>, ...options: readonly string[]): string {
	const folder = mkdtempSync(join(tmpdir(), "spanward-wings-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	mkdirSync(join(folder, "apps/server"), { recursive: true });
	for (const file of ["biome.json", "apps/server/trace-tables.grit"])
		copyFileSync(join(ROOT, file), join(folder, file));
	for (const [file, text] of files) {
		const path = join(folder, "apps/server/src", file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	const args = [BIOME, "lint", ...options, "--max-diagnostics=none", "--colors=off"];
	const { error, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
	if (error !== undefined) throw error;
	const printed = `${stdout}${stderr}`;
	expect(printed).toContain(`Checked ${files.size + 2} files`);
	return printed;
}

/** The planted imports that are refused. */
function refusedOf(planted: readonly Planted[]): readonly Planted[] {
	const fileOf = (file: string, at: number) => file.replace(/\.ts$/, `-${at}.ts`);
	const files = new Map(
		planted.map(([file, imports], at) => [fileOf(file, at), `import { planted } from "${imports}";\n\nplanted();\n`]),
	);
	const printed = lint(files, "--only=style/noRestrictedImports");
	return planted.filter(([file], at) => printed.includes(`apps/server/src/${fileOf(file, at)}:`));
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

it("refuses a statement on the tables of traces outside of storage/traces", () => {
	const statements = new Map([
		["resources/annotations/planted.ts", "select id from spans where id = 1"],
		["resources/datasets/deep/planted.ts", "select 1 from datasets\n\tleft join traces on traces.id = 1"],
		["operations/planted.ts", "delete from sessions"],
		["storage/planted.ts", "update hours set spans = 0"],
		["storage/postgres/planted.ts", "lock table only blocks in share mode"],
		["command-line/planted.ts", "insert into log_records values (1)"],
		["http/planted.ts", 'select id from main."spans" where id = 1'],
		["access/planted.ts", "select count(*) from login_sessions join users on true"],
		["resources/planted.ts", "select span_id from dataset_examples"],
		["resources/spans/planted.ts", "Make examples from spans: what went in, and what came out"],
		["storage/traces/planted.ts", "select id from spans"],
		["storage/traces/sqlite/deep/planted.ts", "delete from traces"],
		["storage/sqlite/migrations/planted.ts", "drop table spans"],
	]);
	const files = new Map<string, string>();
	for (const [file, statement] of statements) {
		files.set(file, `export const text = \`${statement}\`;\n`);
		files.set(file.replace("planted", "tagged"), `export const text = sql\`${statement} \${1}\`;\n`);
		files.set(file.replace("planted", "plain"), `export const text = ${JSON.stringify(statement)};\n`);
	}
	files.set("resources/table.ts", `export const text = sql.table("spans");\n`);
	const refused = new Set(
		Array.from(lint(files).matchAll(/apps\/server\/src\/(\S+?):\d+:\d+ plugin/g), ([, file]) => file),
	);
	const expected = [...statements.keys()]
		.slice(0, 7)
		.flatMap((file) => [file, file.replace("planted", "tagged"), file.replace("planted", "plain")]);
	expect([...refused].toSorted()).toEqual([...expected, "resources/table.ts"].toSorted());
});

import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createSchema, migrate, SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { CopyRefused } from "./side.ts";
import { openSqliteSource, openSqliteTarget } from "./sqlite-side.ts";

it("writes through no link of somebody else, and makes the copy readable for its owner only", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-target-"));
	await using _cleanUp = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
	const [path, victim] = [join(folder, "copy.db"), join(folder, "victim")];
	await writeFile(victim, "");
	await symlink(victim, `${path}.copying`);
	expect(() => openSqliteTarget(path)).toThrow("is not an unfinished copy of this user");
	expect(await readFile(victim, "utf8")).toBe("");
	await rm(`${path}.copying`);
	await writeFile(`${path}.copying`, "", { mode: 0o644 });
	await using _target = openSqliteTarget(path);
	expect((await stat(`${path}.copying`)).mode & 0o777).toBe(0o600);
});

it("refuses a database whose schema differs from what the migrations make", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-source-"));
	await using _cleanUp = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
	const path = join(folder, "source.db");
	using db = new DatabaseSync(path, { defensive: false });
	const refusal = () => {
		try {
			return openSqliteSource(path)[Symbol.asyncDispose]();
		} catch (error) {
			return error instanceof CopyRefused ? error.message : error;
		}
	};
	const hasVersion = (version: number) =>
		`${path} has schema version ${version} and this Spanward copies version ${SCHEMA_VERSION}`;
	expect(refusal()).toBe(`${path} cannot be copied, it is not a Spanward database`);
	migrate(db);
	db.exec("analyze");
	expect(await refusal()).toBeUndefined();
	const foreign = `${path} has another schema than Spanward makes: `;
	db.exec("create view everyone as select * from users");
	expect(refusal()).toBe(`${foreign}the view everyone is not one that Spanward creates`);
	db.exec("drop view everyone; pragma writable_schema = on");
	const edit = db.prepare("update sqlite_schema set sql = replace(sql, ?, ?) where name = 'projects'");
	edit.run("integer not null", "integer not null check (1)");
	expect(refusal()).toBe(`${foreign}the table projects is not as Spanward makes it`);
	edit.run("integer not null check (1)", "integer not null");
	db.exec(`update schema_version set version = version + 1 where version = ${SCHEMA_VERSION}`);
	expect(refusal()).toBe(`${hasVersion(SCHEMA_VERSION + 1)}: use the newer Spanward that wrote it`);
	db.exec(`delete from schema_version where version >= ${SCHEMA_VERSION}`);
	expect(refusal()).toMatch(foreign);
	await rm(path);
	using old = new DatabaseSync(path);
	createSchema(old, SCHEMA_VERSION - 1);
	old.exec(`insert into schema_version (version, applied_at) values (${SCHEMA_VERSION - 1}, 0)`);
	expect(refusal()).toBe(
		`${hasVersion(SCHEMA_VERSION - 1)}: start the server once, which upgrades it, or use the Spanward that wrote it`,
	);
});

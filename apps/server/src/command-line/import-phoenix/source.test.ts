import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteSource, type PhoenixSource, readTable } from "./source.ts";
import { ImportReport } from "./target.ts";

async function emptyPhoenix() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-source-"));
	const path = join(folder, "phoenix.db");
	const db = new DatabaseSync(path);
	db.exec(
		"pragma journal_mode = wal; create table projects (id, name text); create table spans (id); create table alembic_version (v)",
	);
	return {
		...{ path, db },
		async [Symbol.asyncDispose]() {
			db.close();
			await rm(folder, { recursive: true, force: true });
		},
	};
}

async function namesOf(source: PhoenixSource, step: number): Promise<unknown[]> {
	const names: unknown[] = [];
	for await (const rows of readTable(source, "projects", ["name"], { step })) {
		expect(rows.length).toBeLessThanOrEqual(step);
		names.push(...rows.map((row) => row["name"]));
	}
	return names;
}

it("does not loop on a table whose ids are not numbers, and refuses views", async () => {
	await using phoenix = await emptyPhoenix();
	phoenix.db.exec("insert into projects values ('1', 'a'), ('1', 'b')");
	{
		await using source = openSqliteSource(phoenix.path);
		await expect(namesOf(source, 2)).rejects.toThrow("ids that are not numbers");
	}
	phoenix.db.exec(
		"create view traces as with recursive n (id) as (select 1 union all select id from n) select id from n",
	);
	expect(() => openSqliteSource(phoenix.path)).toThrow("it has the view traces");
});

it("reads a consistent snapshot completely, fewer rows at a time where they are long", async () => {
	await using phoenix = await emptyPhoenix();
	const insert = phoenix.db.prepare("insert into projects values (?, ?)");
	const names = Array.from({ length: 45 }, (_, index) => `${index}`.padEnd(index % 3 === 0 ? 2_000_000 : 1, "-"));
	for (const [index, name] of names.entries()) insert.run(index, name);
	await using source = openSqliteSource(phoenix.path);
	phoenix.db.exec("update projects set name = 'changed'; delete from projects where id > 20; drop table spans");
	const read: unknown[] = [];
	const steps: number[] = [];
	for await (const rows of readTable(source, "projects", ["name"])) {
		read.push(...rows.map((row) => row["name"]));
		steps.push(rows.length);
	}
	expect(read).toEqual(names);
	expect(Math.max(...steps.slice(1))).toBeLessThan(16);
});

it("escapes control characters in names", () => {
	const report = new ImportReport();
	report.leave("prompt \u001b[2J\u202ex");
	expect(report.finish().notCarried).toEqual(["1 prompt \\u{1b}[2J\\u{202e}x"]);
});

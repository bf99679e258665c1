import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteSource, readTable } from "./source.ts";
import { ImportReport } from "./target.ts";

it("does not read a table for ever whose ids are no numbers", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-source-"));
	const path = join(folder, "phoenix.db");
	const db = new DatabaseSync(path);
	db.exec("create table projects (id, name text); create table spans (id); create table alembic_version (v)");
	db.exec("insert into projects values ('1', 'a'), ('1', 'b')");
	db.close();
	try {
		await using source = openSqliteSource(path);
		const read = async () => {
			for await (const rows of readTable(source, "projects", ["name"], { step: 2 })) expect(rows).toHaveLength(2);
		};
		await expect(read()).rejects.toThrow("ids that are no numbers");
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});

it("shows what names would do to a terminal", () => {
	const report = new ImportReport();
	report.leave("prompt \u001b[2J\u202ex");
	expect(report.finish().notCarried).toEqual(["1 prompt \\u{1b}[2J\\u{202e}x"]);
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { createSchema, migrate, SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { getRow, listRows } from "#storage/sqlite/rows.ts";
import { schemaDifferences } from "#storage/sqlite/schema-differences.ts";
import { createTurnTables, leaveTraces } from "./sqlite-schema.ts";

const TABLES = ["annotations", "dataset_examples", "dataset_example_revisions", "sqlite_sequence"];

/** A file with annotations and examples of a span, and some whose row numbers are not used any more. */
function openFile(annotations = 3): { readonly path: string; readonly db: DatabaseSync } {
	const folder = mkdtempSync(join(tmpdir(), "spanward-references-"));
	const path = join(folder, "spanward.db");
	const db = openForWriting(path, 2);
	onTestFinished(() => {
		db.close();
		rmSync(folder, { recursive: true });
	});
	migrate(db);
	db.exec("begin");
	const span = { trace_row_id: 1, end_micros: 0, kind: 0, otel_kind: 0, status_code: 0, flags: 0, block_id: 1 };
	const zeros = { id: 1, project_id: 1, start_micros: 0, start_nanos: 0, end_nanos: 0, ordinal: 0 };
	insert(db, "spans", { ...zeros, ...span, span_id: Buffer.alloc(8), name: "s" });
	insert(db, "datasets", { id: 1, name: "d", metadata: "{}", created_at: 0, updated_at: 0 });
	for (let id = 1; id <= annotations; id += 1) insert(db, "annotations", annotation({ id, identifier: String(id) }));
	for (const id of [1, 5]) {
		insert(db, "dataset_examples", { id, dataset_id: 1, span_row_id: id === 1 ? 1 : null, created_at: 0 });
		insert(db, "dataset_example_revisions", {
			...{ id, dataset_id: 1, example_id: id, from_version: 1, created_at: 0 },
			...{ input: "{}", output: "{}", metadata: "{}", content_hash: Buffer.alloc(4) },
		});
	}
	insert(db, "annotations", annotation({ id: 1_000_000, identifier: "gone" }));
	db.exec("delete from annotations where id = 1000000; delete from dataset_examples where id = 5; commit");
	return { path, db };
}

function annotation(more: Readonly<Record<string, string | number>>) {
	return {
		...{ target: "span", target_row_id: 1, project_id: 1, span_row_id: 1, name: "n", metadata: "{}" },
		...{ annotator_kind: "HUMAN", source: "APP", created_at: 0, updated_at: 0 },
		...more,
	};
}

function prepareForClickHouse(db: DatabaseSync): void {
	createTurnTables(db);
	leaveTraces(db);
}

function insert(db: DatabaseSync, table: string, row: Readonly<Record<string, string | number | Uint8Array | null>>) {
	const columns = Object.keys(row);
	const values = columns.map(() => "?").join(", ");
	return db.prepare(`insert into ${table} (${columns.join(", ")}) values (${values})`).run(...Object.values(row));
}

function contents(db: DatabaseSync) {
	return TABLES.map((name) => {
		const rows = listRows<Record<string, unknown>>(db.prepare(`select * from ${name} order by 1, 2`));
		// Its rows come and go with tables.
		return name === "sqlite_sequence" ? rows.filter((row) => row["name"] !== "clickhouse_batches") : rows;
	});
}

function indexes(db: DatabaseSync) {
	const find = db.prepare(
		"select tbl_name, name, sql from sqlite_schema where type in ('index', 'trigger') order by name",
	);
	return listRows<{ name: string }>(find).filter(({ name }) => !name.includes("clickhouse"));
}

function schemaVersion(db: DatabaseSync): number {
	return getRow<{ schema_version: number }>(db.prepare("pragma schema_version")).schema_version;
}

test("annotations and examples keep their rows, numbers and indexes, and need no span any more", () => {
	const { db } = openFile();
	db.exec("create trigger noted after insert on annotations begin select 1; end");
	const before = { contents: contents(db), indexes: indexes(db) };
	prepareForClickHouse(db);
	expect({ contents: contents(db), indexes: indexes(db) }).toEqual(before);
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual(["the trigger noted is not one that Spanward creates"]);
	const { lastInsertRowid } = insert(db, "annotations", annotation({ identifier: "new", span_row_id: 77 }));
	expect(lastInsertRowid).toBe(1_000_001);
	expect(insert(db, "dataset_examples", { dataset_id: 1, span_row_id: 77, created_at: 0 }).lastInsertRowid).toBe(6);
	db.exec("delete from spans");
	expect(contents(db)[0]).toHaveLength(4);
	expect(() => insert(db, "annotations", annotation({ identifier: "x", user_id: 77 }))).toThrow("FOREIGN KEY");
	db.exec("delete from datasets");
	expect(contents(db).slice(1, 3)).toEqual([[], []]);
});

test("a file that is prepared already is not changed", () => {
	const { db } = openFile();
	prepareForClickHouse(db);
	const [version, before] = [schemaVersion(db), contents(db)];
	prepareForClickHouse(db);
	expect(schemaVersion(db)).toBe(version);
	expect(contents(db)).toEqual(before);
});

test("a process that is killed in the middle leaves the file as it was", () => {
	const { path, db } = openFile(20_000);
	const before = { contents: contents(db), indexes: indexes(db) };
	const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
	const code = `
		import { DatabaseSync } from "node:sqlite";
		import { dropReferencesToTraces } from ${here("./sqlite-foreign-keys.ts")};
		const db = new DatabaseSync(${JSON.stringify(path)});
		// So little that most of it is in the log when the process ends.
		db.exec("pragma cache_size = 10; pragma foreign_keys = off; begin immediate");
		dropReferencesToTraces(db);
		process.kill(process.pid, "SIGKILL");`;
	const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", code], { encoding: "utf8" });
	expect(signal, stderr).toBe("SIGKILL");
	expect({ contents: contents(db), indexes: indexes(db) }).toEqual(before);
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
	prepareForClickHouse(db);
	expect(contents(db)).toEqual(before.contents);
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
});

test("a table that refers to traces in another way is left alone, with all others", () => {
	const { db } = openFile();
	db.exec("create table own (span integer references spans on update cascade)");
	const before = contents(db);
	expect(() => prepareForClickHouse(db)).toThrow("the table own refers to traces in a way that Spanward does not know");
	expect(contents(db)).toEqual(before);
	db.exec("drop table own");
	// Turns have their tables before the traces are left.
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
});

test.each(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1))(
	"the schema of version %i is one that Spanward makes, before and after an upgrade",
	(version) => {
		using db = new DatabaseSync(":memory:");
		createSchema(db, version);
		for (let made = 1; made <= version; made += 1)
			db.prepare("insert into schema_version (version, applied_at) values (?, 0)").run(made);
		prepareForClickHouse(db);
		expect(schemaDifferences(db, version)).toEqual([]);
		migrate(db);
		expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
		prepareForClickHouse(db);
		expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
	},
);

test("what only a file with traces in ClickHouse has is not taken for Spanward's elsewhere", () => {
	const { db } = openFile();
	prepareForClickHouse(db);
	db.exec("drop table clickhouse_batches");
	expect(schemaDifferences(db, SCHEMA_VERSION).sort()).toEqual(
		[
			"the index sqlite_autoindex_clickhouse_facts_1 is not one that Spanward creates",
			...["annotations", "dataset_examples", "error_occurrences"].map(
				(name) => `the table ${name} is not as Spanward makes it`,
			),
			"the table clickhouse_facts is not one that Spanward creates",
		].sort(),
	);
});

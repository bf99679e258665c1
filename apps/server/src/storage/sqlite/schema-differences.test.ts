import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createSchema, SCHEMA_VERSION } from "./migrations.ts";
import { schemaDifferences } from "./schema-differences.ts";

it("names every object of a schema that the migrations do not create, or create differently", () => {
	using db = new DatabaseSync(":memory:", { defensive: false });
	createSchema(db, SCHEMA_VERSION);
	db.exec("analyze");
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([]);
	db.exec(`
		create trigger spy after insert on users begin update users set role = 'ADMIN' where id = new.id; end;
		create view everyone as select * from users;
		create virtual table words using fts5 (word);
	`);
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual(
		[
			"the trigger spy",
			"the view everyone",
			...["words", "words_data", "words_idx", "words_content", "words_docsize", "words_config"].map(
				(name) => `the table ${name}`,
			),
		].map((named) => `${named} is not one that Spanward creates`),
	);
	db.exec("drop trigger spy; drop view everyone; drop table words; drop index spans_by_identity");
	db.exec("pragma writable_schema = on");
	db.exec(
		"update sqlite_schema set sql = replace(sql, 'integer not null', 'integer not null check (1)') where name = 'projects'",
	);
	db.exec("update sqlite_schema set sql = replace(sql, ' ', '\n  ') where name = 'spans'");
	db.exec(
		"update sqlite_schema set sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat check (1))' where name = 'sqlite_stat1'",
	);
	expect(schemaDifferences(db, SCHEMA_VERSION)).toEqual([
		"the table projects is not as Spanward makes it",
		"the table sqlite_stat1 is not one that Spanward creates",
		"the index spans_by_identity is missing",
	]);
});

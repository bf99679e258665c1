import type { DatabaseSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";

/** Tables that stay empty where traces are elsewhere. */
const TRACE_TABLES = ["spans", "traces", "sessions"] as const;
const REFERENCE = new RegExp(
	String.raw`\s+references\s+(?:${TRACE_TABLES.join("|")})\s*\(id\)(?:\s+on\s+delete\s+(?:cascade|set\s+null))?`,
	"gi",
);
const NEW = "without_references";

/**
 * Drops the foreign keys that refer to spans, traces and sessions. SQLite cannot change a table so; it is made anew, as
 * https://www.sqlite.org/lang_altertable.html#otheralter says, with its rows, row numbers, indexes and triggers.
 * @param db in a transaction that began with foreign keys off
 * @throws Error when a table is not as the migrations make it
 */
export function dropReferencesToTraces(db: DatabaseSync): void {
	for (const name of referringTables(db)) makeAnew(db, name);
	const [left] = referringTables(db);
	if (left !== undefined) throw new Error(`the table ${left} refers to traces in a way that Spanward does not know`);
}

function referringTables(db: DatabaseSync): string[] {
	const rows = listRows<{ name: string }>(
		db.prepare(`
			select distinct tables.name from sqlite_schema as tables
			join pragma_foreign_key_list(tables.name) as keys
			where tables.type = 'table' and keys."table" in (select value from json_each(?))`),
		JSON.stringify(TRACE_TABLES),
	);
	return rows.map(({ name }) => name);
}

function makeAnew(db: DatabaseSync, name: string): void {
	const find = db.prepare("select sql from sqlite_schema where type = 'table' and name = ?");
	const { sql } = getRow<{ sql: string }>(find, name);
	const attached = listRows<{ sql: string }>(
		db.prepare("select sql from sqlite_schema where tbl_name = ? and type in ('index', 'trigger') and sql is not null"),
		name,
	);
	const body = sql.slice(sql.indexOf("("));
	db.exec(`
		create table ${NEW} ${body.replaceAll(REFERENCE, "")};
		insert into ${NEW} select * from "${name}";
		delete from sqlite_sequence where name = '${NEW}';
		insert into sqlite_sequence (name, seq) select '${NEW}', seq from sqlite_sequence where name = '${name}';
		drop table "${name}";
		alter table ${NEW} rename to "${name}";
	`);
	for (const { sql: statement } of attached) db.exec(statement);
}

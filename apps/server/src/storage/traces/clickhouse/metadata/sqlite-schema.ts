import type { DatabaseSync } from "node:sqlite";
import { hasRow } from "#storage/sqlite/rows.ts";
import { CREATE_FACTS, NOTE_TRACES_ELSEWHERE } from "./common-metadata.ts";
import { dropReferencesToTraces } from "./sqlite-foreign-keys.ts";

const CREATE_TABLES = `
	create table if not exists clickhouse_batches (
		id integer primary key autoincrement,
		started_at integer not null
	) strict;
	${CREATE_FACTS} strict;`;

/** Makes what turns need, in a database file with the schema of any version. */
export function createTurnTables(db: DatabaseSync): void {
	db.exec(CREATE_TABLES);
}

/**
 * Drops foreign keys to traces, which are not here, and notes that they are in ClickHouse. All of it or, after a kill,
 * nothing. Nobody else writes meanwhile.
 */
export function leaveTraces(db: DatabaseSync): void {
	// Dropping a table would delete the rows that refer to its rows.
	db.exec("pragma foreign_keys = off");
	db.exec("begin immediate");
	try {
		dropReferencesToTraces(db);
		db.prepare(NOTE_TRACES_ELSEWHERE).run();
		db.exec("commit");
	} finally {
		if (db.isTransaction) db.exec("rollback");
		db.exec("pragma foreign_keys = on");
	}
}

/** Whether a database file was prepared for traces that are in ClickHouse. */
export function isForClickHouse(db: DatabaseSync): boolean {
	const find = "select 1 from sqlite_schema where type = 'table' and name = 'clickhouse_batches'";
	return db.prepare(find).get() !== undefined;
}

/** Whether the traces of an installation are in ClickHouse, and not in this file of it. */
export function hasTracesInClickHouse(db: DatabaseSync): boolean {
	return isForClickHouse(db) && hasRow(db.prepare("select 1 from clickhouse_facts where name = 'traces'"));
}

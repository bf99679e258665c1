import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { forgetOldest } from "#base/forget-oldest.ts";

export interface QueryAnswer {
	readonly rows: readonly unknown[];
	/** Number of changed rows; undefined for a query that returns rows. */
	readonly changes?: number;
	readonly lastRowId?: number;
}

/** Compiled statements that a connection keeps, the last ones used: compiling takes longer than most statements run. */
const MOST_KEPT = 100;
/** Longer texts are of lists, hardly ever the same again, and a statement holds on to its parameters. */
const LONGEST = 8_192;

const kept = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Runs one statement with bound parameters. */
export function runQuery(db: DatabaseSync, sql: string, parameters: readonly SQLInputValue[]): QueryAnswer {
	const statement = isShort(sql) && parameters.every(isShort) ? recall(db, sql) : db.prepare(sql);
	if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
	const { changes, lastInsertRowid } = statement.run(...parameters);
	return { rows: [], changes: Number(changes), lastRowId: Number(lastInsertRowid) };
}

function isShort(value: SQLInputValue): boolean {
	if (typeof value === "string") return value.length <= LONGEST;
	return typeof value !== "object" || value === null || value.byteLength <= LONGEST;
}

/** SQLite itself compiles a statement again when the schema has changed since. */
function recall(db: DatabaseSync, sql: string): StatementSync {
	const statements = kept.get(db) ?? new Map<string, StatementSync>();
	kept.set(db, statements);
	const statement = statements.get(sql) ?? db.prepare(sql);
	statements.delete(sql);
	statements.set(sql, statement);
	forgetOldest(statements, MOST_KEPT);
	return statement;
}

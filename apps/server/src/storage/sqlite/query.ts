import type { DatabaseSync, SQLInputValue } from "node:sqlite";

export interface QueryAnswer {
	readonly rows: readonly unknown[];
	/** Number of changed rows; undefined for a query that returns rows. */
	readonly changes?: number;
	readonly lastRowId?: number;
}

/** Runs one statement with bound parameters. */
export function runQuery(db: DatabaseSync, sql: string, parameters: readonly SQLInputValue[]): QueryAnswer {
	const statement = db.prepare(sql);
	if (statement.columns().length > 0) return { rows: statement.all(...parameters) };
	const { changes, lastInsertRowid } = statement.run(...parameters);
	return { rows: [], changes: Number(changes), lastRowId: Number(lastInsertRowid) };
}

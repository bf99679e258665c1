import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { TestServer } from "../server.ts";

/** Runs SQL on the file of a server, which may be running: what an operator does by hand, or time does by itself. */
export function runSql(server: TestServer, sql: string, ...parameters: SQLInputValue[]): Record<string, unknown>[] {
	const db = new DatabaseSync(join(server.workingDir, "spanward.db"), { timeout: 100_000 });
	try {
		return db.prepare(sql).all(...parameters);
	} finally {
		db.close();
	}
}

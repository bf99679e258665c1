import { DatabaseSync } from "node:sqlite";
import { hasRow } from "../sqlite/rows.ts";
import { syncToDisk } from "./put-in-place.ts";

/**
 * Pauses every experiment job that has not ended, in either database: a copy that is made for a test, or beside the
 * installation that goes on, must not spend money before somebody says so.
 */
export const PAUSE_JOBS = `
	update experiment_jobs set state = 'paused', reason = 'restored', revision = revision + 1,
		error = 'The database was put back or copied: resume the job if it shall go on here.'
	where state in ('waiting', 'running', 'paused')`;

/**
 * The same in a database file that no server uses, of this or an older schema.
 * @returns how many are paused
 */
export function pauseJobsOfFile(path: string): number {
	const db = new DatabaseSync(path);
	let paused: number;
	try {
		if (!hasRow(db.prepare("select 1 from sqlite_schema where name = 'experiment_jobs'"))) return 0;
		paused = Number(db.prepare(PAUSE_JOBS).run().changes);
	} finally {
		db.close();
	}
	syncToDisk(path);
	return paused;
}

import type { DatabaseSync } from "node:sqlite";
import { listRows } from "#storage/sqlite/rows.ts";
import { LOG_WAIT_MICROS } from "#storage/traces/content/log-record.ts";
import { HAS_TRACE } from "../mutate/log-records.ts";

const STEP_RECORDS = 1_000;
const SWEEP_MS = 3_600_000;

/** Deletes old log records whose span never came: every hour a sweep through all of them, in steps. */
export class UnclaimedLogs {
	readonly #db: DatabaseSync;
	#after = 0;
	#nextSweepAt = 0;

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	/** @returns row numbers to delete, possibly none; undefined when the sweep is complete */
	next(nowMs: number): number[] | undefined {
		if (nowMs < this.#nextSweepAt) return undefined;
		const rows = listRows<{ id: number; is_unclaimed: 0 | 1 }>(
			this.#db.prepare(
				`select id, received_at < ? and not ${HAS_TRACE} as is_unclaimed
				from log_records where id > ? order by id limit ?`,
			),
			nowMs * 1_000 - LOG_WAIT_MICROS,
			this.#after,
			STEP_RECORDS,
		);
		const last = rows.at(-1);
		if (last === undefined) {
			this.#after = 0;
			this.#nextSweepAt = nowMs + SWEEP_MS;
			return undefined;
		}
		this.#after = last.id;
		return rows.filter((row) => row.is_unclaimed === 1).map(({ id }) => id);
	}

	/** Call it within a transaction. */
	delete(ids: readonly number[]): void {
		this.#db.prepare("delete from log_records where id in (select value from json_each(?))").run(JSON.stringify(ids));
	}
}

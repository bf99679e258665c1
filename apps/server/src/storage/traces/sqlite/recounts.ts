import type { Semaphore } from "#base/semaphore.ts";
import type { Database } from "#storage/database.ts";
import type { DatabaseWorkers } from "#storage/sqlite/database-workers.ts";
import { listHours } from "#storage/traces/mutate/list-hours.ts";
import type { RecountRange, Recounts, TracesRecounted } from "#storage/traces/mutate/recounting-repairs.ts";

/** Computes totals anew on the writer's thread. */
export class SqliteRecounts implements Recounts {
	readonly #db: Database;
	readonly #workers: DatabaseWorkers;
	readonly #writes: Semaphore;

	/** @param writes a mutex, shared with all other users of the writer thread's connection */
	constructor(db: Database, workers: DatabaseWorkers, writes: Semaphore) {
		this.#db = db;
		this.#workers = workers;
		this.#writes = writes;
	}

	recountTraces(range: RecountRange, after: number): Promise<TracesRecounted> {
		return this.#writes.run(() => this.#workers.writer.call("recountTraces", range, after));
	}

	listHours(range: RecountRange) {
		return listHours(this.#db, range);
	}

	recountHour(projectId: number, hour: number, isDryRun: boolean): Promise<boolean> {
		return this.#writes.run(() => this.#workers.writer.call("recountHour", projectId, hour, isDryRun));
	}

	recountSpend(projectId: number, quarter: number, isDryRun: boolean): Promise<boolean> {
		return this.#writes.run(() => this.#workers.writer.call("recountSpend", projectId, quarter, isDryRun));
	}
}

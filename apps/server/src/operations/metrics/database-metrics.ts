import { type StatementDone, statementsDone } from "#storage/postgres/statement-channel.ts";
import type { Storage } from "#storage/storage.ts";
import type { TraceReader } from "#storage/traces/trace-store.ts";
import { type Family, gauge, sample } from "./exposition.ts";
import { Counter, Histogram } from "./recorders.ts";

/** Serialization failures and deadlocks: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CONFLICTS = new Set(["40001", "40P01"]);
/** Counting stops here, as the exact number is not worth its cost. */
const MOST_COUNTED = 100_000;

type Measured = Pick<Storage, "kind" | "server" | "traces">;

/** Metrics of this process's use of the database. */
export class DatabaseMetrics implements Disposable {
	readonly #storage: Measured;
	readonly #statements = new Histogram(
		"spanward_database_statement_seconds",
		"Time until PostgreSQL answered a statement of the main thread.",
	);
	readonly #errors = new Counter("spanward_database_errors_total", "Statements that failed, by SQLSTATE.");
	readonly #conflicts = new Counter(
		"spanward_database_conflicts_total",
		"Statements that conflicted with another transaction; their transaction was retried.",
	);
	readonly #onStatement = (message: unknown) => this.#note(message as StatementDone);

	readonly #hasTextIndex: boolean;

	constructor(storage: Measured, hasTextIndex: boolean) {
		this.#storage = storage;
		this.#hasTextIndex = hasTextIndex;
		if (storage.server !== undefined) statementsDone.subscribe(this.#onStatement);
	}

	async families(): Promise<readonly Family[]> {
		const { kind, server, traces } = this.#storage;
		const waiting = this.#hasTextIndex ? await countWaitingBlocks(traces) : undefined;
		const families = [
			gauge("spanward_database_info", "1, with the kind of the database.", [sample(1, { kind })]),
			...(waiting === undefined
				? []
				: [
						gauge(
							"spanward_text_index_waiting_blocks",
							`Blocks of spans not yet in the text index, at most ${MOST_COUNTED}.`,
							waiting,
						),
					]),
		];
		if (server === undefined) return families;
		const pools = server.connections();
		const readsReplica = server.readsReplica();
		return [
			...families,
			gauge(
				"spanward_database_connections",
				"Connections to PostgreSQL, by pool and state.",
				pools.flatMap(({ name, open, idle }) => [
					sample(open - idle, { pool: name, state: "used" }),
					sample(idle, { pool: name, state: "idle" }),
				]),
			),
			gauge(
				"spanward_database_connections_limit",
				"Maximum number of connections of a pool.",
				pools.map(({ name, most }) => sample(most, { pool: name })),
			),
			gauge(
				"spanward_database_connections_waiting",
				"Requests waiting for a connection.",
				pools.map(({ name, waiting: asking }) => sample(asking, { pool: name })),
			),
			gauge(
				"spanward_database_reads_replica",
				"Whether traces are read from the replica; 0 while they are read from the primary because it cannot be read.",
				readsReplica === undefined ? [] : [sample(Number(readsReplica))],
			),
			this.#statements.family(),
			this.#errors.family(),
			this.#conflicts.family(),
		];
	}

	#note({ use, durationMs, errorCode }: StatementDone): void {
		this.#statements.record({ pool: use }, durationMs / 1_000);
		if (errorCode === undefined) return;
		if (CONFLICTS.has(errorCode)) this.#conflicts.add({ pool: use });
		else this.#errors.add({ pool: use, code: errorCode });
	}

	[Symbol.dispose](): void {
		statementsDone.unsubscribe(this.#onStatement);
	}
}

/** @returns undefined when the database does not answer, which other metrics show */
async function countWaitingBlocks(traces: TraceReader): Promise<number | undefined> {
	try {
		return await traces.countUnindexedBlocks(MOST_COUNTED);
	} catch {
		return undefined;
	}
}

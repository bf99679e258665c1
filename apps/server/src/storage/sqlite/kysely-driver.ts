import type { SQLInputValue } from "node:sqlite";
import {
	type CompiledQuery,
	type DatabaseConnection,
	type Dialect,
	type Driver,
	Kysely,
	type QueryResult,
	SqliteAdapter,
	SqliteIntrospector,
	SqliteQueryCompiler,
} from "kysely";
import type { Tables } from "../schema.ts";
import type { QueryAnswer } from "./query.ts";

/** Runs statements, on a database thread. */
export interface StatementRunner {
	run(sql: string, parameters: readonly SQLInputValue[]): Promise<QueryAnswer>;
	begin?(): Promise<void>;
	commit?(): Promise<void>;
	rollback?(): Promise<void>;
}

/** Kysely whose statements run on another thread. Without `begin` it has no transactions. */
export function kyselyOn(runner: StatementRunner): Kysely<Tables> {
	const dialect: Dialect = {
		createAdapter: () => new SqliteAdapter(),
		createDriver: () => new ThreadDriver(runner),
		createIntrospector: (db) => new SqliteIntrospector(db),
		createQueryCompiler: () => new SqliteQueryCompiler(),
	};
	return new Kysely<Tables>({ dialect });
}

class ThreadDriver implements Driver {
	readonly #runner: StatementRunner;

	constructor(runner: StatementRunner) {
		this.#runner = runner;
	}

	async init(): Promise<void> {}

	async acquireConnection(): Promise<DatabaseConnection> {
		return new ThreadConnection(this.#runner);
	}

	async beginTransaction(): Promise<void> {
		if (this.#runner.begin === undefined) throw new Error("reading needs no transaction; use Database.write to write");
		await this.#runner.begin();
	}

	async commitTransaction(): Promise<void> {
		await this.#runner.commit?.();
	}

	async rollbackTransaction(): Promise<void> {
		await this.#runner.rollback?.();
	}

	async releaseConnection(): Promise<void> {}

	async destroy(): Promise<void> {}
}

class ThreadConnection implements DatabaseConnection {
	readonly #runner: StatementRunner;

	constructor(runner: StatementRunner) {
		this.#runner = runner;
	}

	async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
		const answer = await this.#runner.run(query.sql, query.parameters as readonly SQLInputValue[]);
		return {
			rows: answer.rows as Row[],
			...(answer.changes === undefined ? {} : { numAffectedRows: BigInt(answer.changes) }),
			...(answer.lastRowId === undefined ? {} : { insertId: BigInt(answer.lastRowId) }),
		};
	}

	streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
		throw new Error("statements on a database thread answer whole; page with a keyset instead of streaming");
	}
}

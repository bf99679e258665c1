import {
	type CompiledQuery,
	type DatabaseConnection,
	type Dialect,
	type Driver,
	Kysely,
	PostgresAdapter,
	PostgresIntrospector,
	PostgresQueryCompiler,
	type QueryResult,
	type RawNode,
	type TransactionSettings,
} from "kysely";
import type pg from "pg";
import { postgresPart } from "../either.ts";
import { isPrepared } from "../prepared.ts";
import type { Tables } from "../schema.ts";
import { StatementNames } from "./statement-names.ts";
import { storableText } from "./storable-text.ts";
import { isConflict, isOutdatedPlan, toStorageError } from "./storage-errors.ts";

const names = new StatementNames();
/** After so many tries a statement outside transactions that still conflicts fails. */
const MOST_TRIES = 5;

/**
 * Kysely on the connections of a pool. Unlike Kysely's own driver it throws `StorageUnavailable` for failures of the
 * database or the network, and survives connections that end while in use.
 */
export function kyselyOn(pool: pg.Pool): Kysely<Tables> {
	const dialect: Dialect = {
		createAdapter: () => new PostgresAdapter(),
		createDriver: () => new PoolDriver(pool),
		createIntrospector: (db) => new PostgresIntrospector(db),
		createQueryCompiler: () => new Compiler(),
	};
	return new Kysely<Tables>({ dialect });
}

/** Kysely within the transaction that a connection has begun. */
export function kyselyWithin(client: pg.ClientBase): Kysely<Tables> {
	const connection = new ClientConnection(client, true);
	const nothing = async () => undefined;
	return new Kysely<Tables>({
		dialect: {
			createAdapter: () => new PostgresAdapter(),
			createDriver: () => ({
				init: nothing,
				acquireConnection: async () => connection,
				beginTransaction: nothing,
				commitTransaction: nothing,
				rollbackTransaction: nothing,
				releaseConnection: nothing,
				destroy: nothing,
			}),
			createIntrospector: (db) => new PostgresIntrospector(db),
			createQueryCompiler: () => new Compiler(),
		},
	});
}

class Compiler extends PostgresQueryCompiler {
	protected override visitRaw(node: RawNode): void {
		super.visitRaw(postgresPart(node));
	}
}

class PoolDriver implements Driver {
	readonly #pool: pg.Pool;

	constructor(pool: pg.Pool) {
		this.#pool = pool;
	}

	async init(): Promise<void> {}

	async acquireConnection(): Promise<PooledConnection> {
		try {
			return new PooledConnection(await this.#pool.connect());
		} catch (error) {
			throw toStorageError(error);
		}
	}

	async beginTransaction(connection: PooledConnection, { isolationLevel }: TransactionSettings): Promise<void> {
		await connection.run(`begin isolation level ${isolationLevel ?? "read committed"}`);
		connection.isInTransaction = true;
	}

	async commitTransaction(connection: PooledConnection): Promise<void> {
		connection.isInTransaction = false;
		const { command } = await connection.run("commit");
		// PostgreSQL answers `commit` with ROLLBACK when an earlier statement of the transaction failed.
		if (command === "ROLLBACK") throw new Error("a transaction went on after a statement that failed");
	}

	async rollbackTransaction(connection: PooledConnection): Promise<void> {
		connection.isInTransaction = false;
		try {
			await connection.run("rollback");
		} catch {
			// Nothing was committed, and the caller has the error that led here.
			connection.isBroken = true;
		}
	}

	async releaseConnection(connection: PooledConnection): Promise<void> {
		connection.release();
	}

	async destroy(): Promise<void> {}
}

class ClientConnection implements DatabaseConnection {
	isInTransaction: boolean;
	readonly #client: pg.ClientBase;

	constructor(client: pg.ClientBase, isInTransaction: boolean) {
		this.#client = client;
		this.isInTransaction = isInTransaction;
	}

	/** @param name of the prepared statement that is to be kept; the text is the same each time */
	async run(sql: string, parameters: readonly unknown[] = [], name?: string): Promise<pg.QueryResult> {
		try {
			const values = parameters.map(toParameter);
			return await this.#client.query(name === undefined ? { text: sql, values } : { name, text: sql, values });
		} catch (error) {
			throw toStorageError(error);
		}
	}

	async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
		const { rows, rowCount } = await this.#runAs(query);
		return { rows, ...(rowCount === null ? {} : { numAffectedRows: BigInt(rowCount) }) };
	}

	/**
	 * A server of a newer release may change tables meanwhile: plans of their rows as they were are not taken, and a statement
	 * that would wait for that change while that waits for it is ended. What is part of no transaction runs again then.
	 */
	async #runAs(query: CompiledQuery): Promise<pg.QueryResult> {
		const { sql, parameters } = query;
		for (let tries = 1; ; tries += 1) {
			try {
				return await this.run(sql, parameters, isPrepared(query) ? names.of(sql) : undefined);
			} catch (error) {
				if (isOutdatedPlan(error)) names.renew();
				// The whole transaction runs again.
				if (this.isInTransaction || !isConflict(error) || tries === MOST_TRIES) throw error;
			}
		}
	}

	streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
		throw new Error("page with a keyset instead of streaming");
	}
}

class PooledConnection extends ClientConnection {
	readonly #client: pg.PoolClient;
	isBroken = false;
	/** The running statement fails, too. */
	readonly #onError = () => {
		this.isBroken = true;
	};

	constructor(client: pg.PoolClient) {
		super(client, false);
		this.#client = client;
		client.on("error", this.#onError);
	}

	release(): void {
		this.#client.off("error", this.#onError);
		this.#client.release(this.isBroken);
	}
}

function toParameter(value: unknown): unknown {
	if (typeof value === "string") return storableText(value);
	return Array.isArray(value) ? value.map(toParameter) : value;
}

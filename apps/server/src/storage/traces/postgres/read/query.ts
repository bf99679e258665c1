import type { SQLInputValue } from "node:sqlite";
import type pg from "pg";
import { binaryQuery } from "#storage/postgres/binary-results.ts";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { isConflict, toStorageError } from "#storage/postgres/storage-errors.ts";

/** A value of a placeholder; lists are bound to `= any(?::bigint[])` and the like. */
export type SqlValue = SQLInputValue | readonly (string | number)[] | readonly Uint8Array[];

/** A connection, or a pool for statements that need no particular one. */
export type Queryable = Pick<pg.ClientBase, "query">;

/**
 * The rows of one statement with placeholders `?`, in the order of `values`. The statement must contain no other
 * question marks.
 * @throws StorageUnavailable
 */
export function query<Row>(client: Queryable, sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
	return rowsOf(client.query(numbered(sql), values.map(storable)));
}

/** As `query`, for statements that return large `bytea` values, beside integers. */
export function queryBytes<Row>(client: Queryable, sql: string, values: readonly SqlValue[]): Promise<Row[]> {
	return rowsOf(client.query(binaryQuery(numbered(sql), values.map(storable))));
}

/** As `query`, of many narrow rows: each is a list of its values in the order of the statement. */
export function queryArrays(client: Queryable, sql: string, values: readonly SqlValue[]): Promise<unknown[][]> {
	return rowsOf(client.query({ text: numbered(sql), values: values.map(storable), rowMode: "array" }));
}

async function rowsOf<Row>(asked: Promise<pg.QueryResult>): Promise<Row[]> {
	try {
		const { rows } = await asked;
		// The statement determines the type of its rows.
		return rows as Row[];
	} catch (error) {
		throw isConflict(error) ? error : toStorageError(error);
	}
}

function numbered(sql: string): string {
	let number = 0;
	return sql.replaceAll("?", () => {
		number += 1;
		return `$${number}`;
	});
}

function storable(value: SqlValue): unknown {
	if (typeof value === "string") return storableText(value);
	if (Array.isArray(value)) return value.map(storable);
	return value;
}

/** The bytes of hex digits; for anything else empty bytes, which no id has. */
export function bytesOfHex(hex: string): Uint8Array {
	return Buffer.from(/^(?:[0-9a-f]{2})*$/i.test(hex) ? hex : "", "hex");
}

/**
 * Lists are written so that an index has their order. Before PostgreSQL has statistics of a new table, it would prefer
 * to read and sort all of it.
 *
 * The snapshot is taken by the first statement, even if that waits for somebody who creates or drops the partition of a
 * month: rows that moved would then be in neither table. So the transaction waits for them first.
 * https://www.postgresql.org/docs/current/mvcc-caveats.html
 */
const BEGIN = `begin isolation level repeatable read read only;
	set local enable_sort = off;
	set local enable_seqscan = off;
	lock table only spans, spans_default in access share mode`;

/** A standby may cancel reads of rows that the primary has removed; a retry sees a later state. */
const MOST_TRIES = 3;

/**
 * Runs `read` on a connection of the pool, with one snapshot for all statements.
 * @throws StorageUnavailable
 */
export async function inOneView<T>(pool: pg.Pool, read: (client: pg.PoolClient) => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries += 1)
		try {
			return await withTransaction(pool, BEGIN, read);
		} catch (error) {
			if (!isConflict(error) || tries === MOST_TRIES) throw toStorageError(error);
		}
}

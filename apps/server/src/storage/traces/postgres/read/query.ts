import type { SQLInputValue } from "node:sqlite";
import type pg from "pg";
import { withTransaction } from "#storage/postgres/pool-connection.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { isConflict, toStorageError } from "#storage/postgres/storage-errors.ts";

/** What a placeholder may stand for; lists are bound to `= any(?::bigint[])` and the like. */
export type SqlValue = SQLInputValue | readonly (string | number)[] | readonly Uint8Array[];

/** A connection, or a pool for statements that need no other. */
export type Queryable = Pick<pg.ClientBase, "query">;

/**
 * Rows of one statement whose placeholders are `?`, in the order of `values`. It has no other question marks.
 * @throws StorageUnavailable
 */
export async function query<Row>(client: Queryable, sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
	try {
		const { rows } = await client.query(numbered(sql), values.map(storable));
		// The statement says what its rows are.
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

/** The bytes of hex digits; none, which no id is, for anything else. */
export function bytesOfHex(hex: string): Uint8Array {
	return Buffer.from(/^(?:[0-9a-f]{2})*$/i.test(hex) ? hex : "", "hex");
}

/**
 * Lists are written so that an index has their order. Until PostgreSQL has counted what is in a new table it would rather
 * read and sort all of it.
 *
 * What is seen is that of the first statement, also when that one waits for somebody who makes or drops the partition of a
 * month: rows that went with it would be in neither table. So these are waited for before.
 * https://www.postgresql.org/docs/current/mvcc-caveats.html
 */
const BEGIN = `begin isolation level repeatable read read only;
	set local enable_sort = off;
	set local enable_seqscan = off;
	lock table only spans, spans_default in access share mode`;

/** A standby may end what reads rows that are being removed for good; the next try sees a later state. */
const MOST_TRIES = 3;

/**
 * Runs `read` on a connection of the pool, where all statements see one state of the database.
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

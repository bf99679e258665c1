import type pg from "pg";
import type { Availability } from "./availability.ts";
import { withConnection } from "./pool-connection.ts";
import { toStorageError } from "./storage-errors.ts";

/**
 * Makes a pool and its connections throw `StorageUnavailable` when the database or the network is at fault, and at once
 * while the database is unreachable.
 */
export function guardPool(pool: pg.Pool, availability: Availability): pg.Pool {
	Object.assign(pool.options, { stream: availability.openSocket });
	pool.on("connect", (client) => {
		Object.assign(client, { query: telling(client.query.bind(client)) });
	});
	const connect = telling(pool.connect.bind(pool));
	return Object.assign(pool, {
		connect,
		// The pool's own runs statements in the context of whoever gave the connection back.
		query: (statement: string, values?: unknown[]) => withConnection(pool, (client) => client.query(statement, values)),
	});
}

/** Callback calls, which the pool makes to itself, get their errors unchanged. */
function telling<Arguments extends unknown[], Result>(
	call: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
	return (...given) => {
		const result = call(...given);
		if (!(result instanceof Promise)) return result;
		return result.catch((error: unknown) => {
			throw toStorageError(error);
		}) as Result;
	};
}

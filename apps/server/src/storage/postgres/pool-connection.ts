import type pg from "pg";

/**
 * Runs `work` on a connection of the pool. After a failure the connection is closed, as its state is unknown.
 * @param tidyUp cleans the connection up after `work`; its own failure only closes the connection
 */
export async function withConnection<T>(
	pool: pg.Pool,
	work: (client: pg.PoolClient) => Promise<T>,
	tidyUp: (client: pg.PoolClient, done: T) => Promise<void> = async () => {},
): Promise<T> {
	const client = await pool.connect();
	let isClean = false;
	try {
		const done = await work(client);
		isClean = await tidyUp(client, done).then(
			() => true,
			() => false,
		);
		return done;
	} finally {
		client.release(!isClean);
	}
}

/**
 * Runs `work` in a transaction on a connection of the pool.
 * @param begin the statements that start the transaction
 */
export async function withTransaction<T>(
	pool: pg.Pool,
	begin: string,
	work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
	const client = await pool.connect();
	let failure: Error | undefined;
	try {
		await client.query(begin);
		const done = await work(client);
		await client.query("commit");
		return done;
	} catch (error) {
		await client.query("rollback").catch((rollbackError: Error) => {
			failure = rollbackError;
		});
		throw error;
	} finally {
		// A connection that cannot be rolled back is closed.
		client.release(failure);
	}
}

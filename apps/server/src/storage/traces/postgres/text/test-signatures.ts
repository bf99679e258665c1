import type pg from "pg";
import { openPool } from "#storage/postgres/connection.ts";
import type { PostgresUnderTest } from "../test-store.ts";
import { SignatureGrouper } from "./group-signatures.ts";
import { BlockSigner } from "./sign-blocks.ts";

/** Two processes sign what is unsigned, and turn signatures around by eight, both at once. */
export async function keepTextIndex(store: PostgresUnderTest): Promise<void> {
	await withPool(store, async (pool) => {
		const step = async () => {
			const signer = new BlockSigner(pool);
			const grouper = new SignatureGrouper(pool, { groupSize: 8 });
			while ((await signer.step()) || (await grouper.makeNext()) || (await grouper.checkNext()));
		};
		await Promise.all([step(), step()]);
	});
}

/** Connections of their own, beside the store's. */
export async function withPool<T>({ settings }: PostgresUnderTest, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
	const pool = openPool(settings, settings.primary, { name: "test", size: 2 }, () => undefined);
	try {
		return await work(pool);
	} finally {
		await pool.end();
	}
}

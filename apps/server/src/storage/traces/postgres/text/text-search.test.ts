import { describe } from "vitest";
import { openPool } from "#storage/postgres/connection.ts";
import { HAS_POSTGRES } from "#storage/postgres/test-postgres.ts";
import { type IndexedStore, textSearchSuite } from "#storage/traces/conformance/text-search.ts";
import { openTestStore, type PostgresUnderTest } from "../test-store.ts";
import { BlockTextFiller } from "./fill-block-text.ts";

describe.skipIf(!HAS_POSTGRES)("on PostgreSQL", () =>
	textSearchSuite(async (textIndex): Promise<IndexedStore> => {
		const store = await openTestStore({ textIndex });
		return { ...store, untilIndexed: () => untilIndexed(store) };
	}),
);

/** Two processes fill the index at once. */
async function untilIndexed({ settings }: PostgresUnderTest): Promise<void> {
	const pool = openPool(settings, settings.primary, { name: "text index", size: 2 }, () => undefined);
	try {
		const fillers = [new BlockTextFiller(pool), new BlockTextFiller(pool)];
		await Promise.all(
			fillers.map(async (filler) => {
				while (await filler.step());
			}),
		);
	} finally {
		await pool.end();
	}
}

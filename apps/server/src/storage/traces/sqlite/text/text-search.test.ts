import { setTimeout as sleep } from "node:timers/promises";
import { openForReading } from "#storage/sqlite/connection.ts";
import { type IndexedStore, textSearchSuite } from "#storage/traces/conformance/text-search.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";

textSearchSuite(async (textIndex): Promise<IndexedStore> => {
	const store = await openTestStore({ textIndex });
	return { ...store, untilIndexed: () => untilIndexed(store) };
});

async function untilIndexed(store: SqliteUnderTest): Promise<void> {
	store.traces.onChange(() => {});
	store.storage.notify({ projectId: 1, traceRowIds: [] });
	using db = closing(openForReading(store.storage.writerOptions.path, 1));
	for (;;) {
		const row = db
			.prepare(
				`select (select max(id) from blocks) - (select last_block from block_text_progress)
					+ (select count(*) from block_text_stale) as missing`,
			)
			.get();
		if (row?.["missing"] === 0) return;
		await sleep(20);
	}
}

function closing<T extends { close(): void }>(db: T): T & Disposable {
	return Object.assign(db, { [Symbol.dispose]: () => db.close() });
}

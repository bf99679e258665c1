import { expect } from "vitest";
import { type IndexedStore, textSearchSuite } from "#storage/traces/conformance/text-search.ts";
import { openTestStore, type SqliteUnderTest } from "../test-store.ts";
import { groupSignatures } from "./test-signatures.ts";

textSearchSuite(async (textIndex): Promise<IndexedStore> => {
	const store = await openTestStore({ textIndex });
	return { ...store, untilIndexed: () => untilIndexed(store) };
});

/** Waits until every block is signed, and turns the signatures around by eight. */
async function untilIndexed(store: SqliteUnderTest): Promise<void> {
	store.traces.onChange(() => {});
	store.storage.notify({ projectId: 1, traceRowIds: [] });
	await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
	groupSignatures(store);
}

import { describe } from "vitest";
import { HAS_POSTGRES } from "#storage/postgres/test-postgres.ts";
import { type IndexedStore, textSearchSuite } from "#storage/traces/conformance/text-search.ts";
import { openTestStore } from "../test-store.ts";
import { keepTextIndex } from "./test-signatures.ts";

describe.skipIf(!HAS_POSTGRES)("on PostgreSQL", () =>
	textSearchSuite(async (textIndex): Promise<IndexedStore> => {
		const store = await openTestStore({ textIndex });
		return { ...store, untilIndexed: () => keepTextIndex(store) };
	}),
);

import type { PostgresSettings } from "#base/postgres-address.ts";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { createMigratedSchema } from "#storage/postgres/test-migrated.ts";
import type { Storage } from "#storage/storage.ts";
import type { StoreUnderTest } from "../conformance/store-under-test.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { checkIntegrity } from "./check-integrity.ts";
import { openPostgresTraceWriter } from "./trace-writer.ts";

export interface PostgresUnderTest extends StoreUnderTest {
	readonly storage: Storage;
	readonly settings: PostgresSettings;
}

/** A schema in the PostgreSQL of the tests; the writer runs on the test's own thread. */
export async function openTestStore(changes: Partial<PostgresSettings> = {}): Promise<PostgresUnderTest> {
	await using opening = new AsyncDisposableStack();
	const schema = opening.use(await createMigratedSchema());
	const settings = { ...schema.settings, ...changes };
	const storage = opening.use(await openPostgres({ SERVICE_PROJECT_NAME: "default" }, settings));
	const writer = opening.use(openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts));
	const open = opening.move();
	return {
		storage,
		settings,
		traces: storage.traces,
		db: storage.db,
		spend: storage.spend,
		writer,
		shown: (sent) => sent.replaceAll("\0", "\uFFFD"),
		[Symbol.asyncDispose]: () => open.disposeAsync(),
	};
}

/** The defects that `checkIntegrity` finds. */
export function damageOf({ settings }: PostgresUnderTest): Promise<string[]> {
	return checkIntegrity(settings);
}

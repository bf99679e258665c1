import pg, { type ClientBase } from "pg";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { countPostgresRows } from "#storage/copy/counted-tables.ts";
import { otherVersion } from "#storage/copy/other-version.ts";
import { assertReadable, readServerFacts } from "#storage/postgres/check-server.ts";
import { readSchemaVersion, SCHEMA_VERSION } from "#storage/postgres/migrations.ts";
import { PostgresOpenError, serverName, toOpenError } from "#storage/postgres/open-errors.ts";
import { openSnapshot } from "#storage/postgres/snapshot.ts";
import { findDamage } from "#storage/traces/postgres/check-integrity.ts";
import { CommandError, EXIT_DATA, EXIT_SETTINGS } from "../command-error.ts";
import { type Checked, collectProblems } from "./checked.ts";

/** Insufficient privilege. Without the right to use the schema, its tables are undefined. */
const UNREADABLE: ReadonlySet<string> = new Set(["42501", "42P01"]);

/** Checks the PostgreSQL database of the settings. @throws CommandError when it cannot be checked */
export async function checkPostgres(settings: PostgresSettings): Promise<Checked> {
	const client = await openSnapshot(settings, "verify").catch((error: unknown) => {
		throw notChecked(toOpenError(error, settings));
	});
	try {
		return await checkSnapshot(client, settings);
	} catch (error) {
		throw notChecked(explain(error, settings));
	} finally {
		await client.end();
	}
}

function notChecked(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	const exitCode = error instanceof PostgresOpenError ? EXIT_SETTINGS : EXIT_DATA;
	return new CommandError(exitCode, `Not checked: ${error.message}.`);
}

async function checkSnapshot(client: ClientBase, settings: PostgresSettings): Promise<Checked> {
	await assertOurs(client, settings);
	const { primary, schema } = settings;
	const [server, database] = [serverName(primary), primary.database];
	const rows = await countPostgresRows(client);
	return {
		name: `${database} at ${server}, schema ${schema}`,
		facts: { server, database, schema },
		rows,
		...(await collectProblems(findDamage(client))),
		parts: "references, contents and totals",
	};
}

/** @throws Error when the schema is not that of a database of this Spanward */
async function assertOurs(client: ClientBase, settings: PostgresSettings): Promise<void> {
	const facts = await readServerFacts(client, settings);
	assertReadable(facts, settings);
	const version = facts.tables === "none" ? 0 : await readSchemaVersion(client);
	const schema = `the schema ${JSON.stringify(settings.schema)}`;
	if (version === 0)
		throw new PostgresOpenError(
			`there is no whole database of Spanward in ${schema}: SERVICE_SQL_DATABASE_SCHEMA names another`,
			["SERVICE_SQL_DATABASE_SCHEMA"],
		);
	if (version !== SCHEMA_VERSION) throw new Error(otherVersion(`${schema} has version`, version, "checks"));
}

/** Why a check that had begun could not be completed. */
function explain(error: unknown, settings: PostgresSettings): unknown {
	if (!(error instanceof pg.DatabaseError)) return toOpenError(error, settings);
	const { message, code = "" } = error;
	if (!UNREADABLE.has(code)) return new Error(`PostgreSQL ended the check: ${message} (${code})`, { cause: error });
	const [user, schema] = [settings.primary.user, settings.schema].map((name) => JSON.stringify(name));
	return new PostgresOpenError(
		`the user ${user} may not read all tables of the schema ${schema} (${message}): SERVICE_SQL_DATABASE_URL or SERVICE_POSTGRES_USER has to name the user of the server`,
		["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_USER"],
		{ cause: error },
	);
}

import { TLSSocket } from "node:tls";
import pg from "pg";
import type { Fact, Steps } from "#access/sign-in/steps.ts";
import type { Config } from "#base/config.ts";
import type { PostgresAddress, PostgresSettings } from "#base/postgres-address.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Database } from "#storage/database.ts";
import { readServerFacts, type ServerFacts } from "#storage/postgres/check-server.ts";
import { connectionConfig, makeClient } from "#storage/postgres/connection.ts";
import { readSchemaVersion, SCHEMA_VERSION } from "#storage/postgres/migrations.ts";
import { PostgresOpenError, serverName, toOpenError } from "#storage/postgres/open-errors.ts";
import { readOnlyPostgres } from "../read-only-database.ts";
import { checkSecret } from "./folder.ts";
import { checkTables } from "./postgres-tables.ts";

const STATEMENT_MS = 20_000;
const LEAST_VERSION = 140_000;
const MAX_CLOCK_MS = 2_000;
/** The largest lag of a healthy replica. */
const MAX_LAG_SECONDS = 10;

/**
 * Checks that a server with these settings can use PostgreSQL; changes nothing.
 * @returns the database, if it has the schema of this version
 */
export async function checkPostgres(config: Config, steps: Steps): Promise<Database | undefined> {
	const settings = postgresSettings(config);
	if (settings === undefined) return undefined;
	const client = makeClient(
		connectionConfig(settings, settings.primary, { name: "doctor", statementTimeoutMs: STATEMENT_MS }),
	);
	try {
		await client.connect();
		await client.query("set default_transaction_read_only = on");
		const isReady = await examine(client, config, settings, steps);
		if (settings.replica !== undefined) await checkReplica(settings, settings.replica, steps);
		if (!isReady) return undefined;
	} catch (error) {
		noteFailure(toOpenError(error, settings), steps);
		return undefined;
	} finally {
		await client.end();
	}
	const database = readOnlyPostgres(settings, { name: "doctor", statementTimeoutMs: STATEMENT_MS });
	await checkSecret(config, database, steps);
	return database;
}

function noteFailure(error: unknown, steps: Steps): void {
	if (error instanceof PostgresOpenError) steps.fail("connect", sentence(error.message), { settings: error.settings });
	else if (error instanceof pg.DatabaseError)
		steps.fail("connect", `PostgreSQL does not say what it was asked (SQLSTATE ${error.code}).`);
	else throw error;
}

function sentence(text: string): string {
	return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** @returns whether the database has the tables of this version */
async function examine(client: pg.Client, config: Config, settings: PostgresSettings, steps: Steps): Promise<boolean> {
	const facts = await readServerFacts(client, settings);
	noteServer(facts, settings, steps);
	noteTls(client, settings, steps);
	await checkDurability(client, settings, steps);
	await checkClock(client, steps);
	await checkConnections(client, config, settings, steps);
	return await checkSchema(client, facts, settings, steps);
}

function noteServer(facts: ServerFacts, { primary }: PostgresSettings, steps: Steps): void {
	const seen: Fact[] = [
		{ name: "Server", value: serverName(primary) },
		{ name: "Version", value: facts.versionText },
	];
	if (facts.version < LEAST_VERSION)
		steps.fail("connect", "PostgreSQL can be reached, but is older than version 14.", { facts: seen });
	else steps.ok("connect", `PostgreSQL can be reached; it is version ${facts.versionText}.`, { facts: seen });
	const settings = ["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_HOST"];
	if (facts.isStandby)
		steps.fail("connect", "PostgreSQL is a standby: the address has to lead to the primary.", { settings });
	if (!facts.takesOptions)
		steps.fail("connect", "The settings of a connection are dropped, as by a connection pooler.", { settings });
	else if (facts.isPooled)
		steps.warn("connect", "There is a connection pooler in front of PostgreSQL: it has to be in session mode.", {
			settings,
		});
}

function noteTls(client: pg.Client, { primary }: PostgresSettings, steps: Steps): void {
	const used = (client as unknown as { readonly connection: { readonly stream: unknown } }).connection.stream;
	if (used instanceof TLSSocket) {
		const asked = primary.tls === false ? "nothing" : primary.tls.verifies;
		const text = `The connection is encrypted by ${used.getProtocol()}`;
		if (asked === "name") steps.ok("tls", `${text}, and the certificate is for this host.`);
		else if (asked === "authority")
			steps.ok("tls", `${text}, and the certificate is from the authority, for any host.`);
		else
			steps.warn("tls", `${text}, but the server's certificate was not checked.`, {
				settings: ["SERVICE_POSTGRES_TLS_MODE"],
			});
	} else steps.skip("tls", "The connection is not encrypted.");
}

async function checkDurability(client: pg.Client, { durability }: PostgresSettings, steps: Steps): Promise<void> {
	const { rows } = await client.query(
		`select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
			current_setting('synchronous_commit') as commits`,
	);
	const { fsync, pages, commits } = rows[0];
	const facts = [{ name: "synchronous_commit", value: String(commits) }];
	if (fsync !== "on" || pages !== "on")
		steps.fail(
			"durability",
			"A crash of PostgreSQL's machine may destroy the database: switch fsync and full_page_writes on there.",
			{ facts },
		);
	else if (durability === "relaxed")
		steps.warn("durability", "A crash of PostgreSQL loses the last moments, by SERVICE_DATABASE_DURABILITY=relaxed.", {
			settings: ["SERVICE_DATABASE_DURABILITY"],
			facts,
		});
	else if (commits === "off")
		steps.fail("durability", "A crash of PostgreSQL loses what was acknowledged: synchronous_commit is off there.", {
			facts,
		});
	else steps.ok("durability", "Everything acknowledged is on PostgreSQL's disk.", { facts });
}

async function checkClock(client: pg.Client, steps: Steps): Promise<void> {
	const before = Date.now();
	const { rows } = await client.query("select extract(epoch from clock_timestamp()) * 1000 as ms");
	const ahead = Math.round((before + Date.now()) / 2 - Number(rows[0].ms));
	const facts = [{ name: "Milliseconds that this machine is ahead", value: String(ahead) }];
	if (Math.abs(ahead) <= MAX_CLOCK_MS) steps.ok("clock", "The clocks of PostgreSQL and this machine agree.", { facts });
	else steps.warn("clock", "The clocks of PostgreSQL and this machine differ: synchronize both with NTP.", { facts });
}

async function checkConnections(
	client: pg.Client,
	config: Config,
	{ poolSize }: PostgresSettings,
	steps: Steps,
): Promise<void> {
	const { rows } = await client.query(
		`select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
			(select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
	);
	const { most, used } = rows[0];
	// Two pools, also with a replica, as that may be unreachable; one connection per ingest worker, and one for LISTEN.
	const needed = poolSize * 2 + config.SERVICE_INGEST_WORKERS + 1;
	const facts = [
		{ name: "Connections that PostgreSQL accepts", value: String(most) },
		{ name: "In use now", value: String(used) },
		{ name: "Maximum that a server with these settings opens", value: String(needed) },
	];
	const servers = Math.floor(most / needed);
	const settings = ["SERVICE_DATABASE_POOL_SIZE", "SERVICE_INGEST_WORKERS"];
	if (servers < 1)
		steps.fail("connect", "PostgreSQL accepts fewer connections than one server may open.", { settings, facts });
	else
		steps.ok(
			"connect",
			`PostgreSQL accepts the connections of ${servers} such ${servers === 1 ? "server" : "servers"}.`,
			{
				facts,
			},
		);
}

async function checkSchema(
	client: pg.Client,
	facts: ServerFacts,
	{ schema, primary, textIndex }: PostgresSettings,
	steps: Steps,
): Promise<boolean> {
	const settings = ["SERVICE_SQL_DATABASE_SCHEMA"];
	const { rows } = await client.query(
		`select exists (select from pg_namespace where nspname = $1) as exists,
			has_database_privilege(current_database(), 'create') as may_make,
			case when exists (select from pg_namespace where nspname = $1) then has_schema_privilege($1, 'create') end as may_create`,
		[schema],
	);
	const { exists, may_make: mayMake, may_create: mayCreate } = rows[0];
	if (!exists) {
		if (mayMake)
			steps.warn("schema", `There is no schema "${schema}" yet; the server creates it at the start.`, { settings });
		else
			steps.fail("schema", `There is no schema "${schema}", and the user ${primary.user} may not create it.`, {
				settings,
			});
		return false;
	}
	if (mayCreate !== true) {
		steps.fail("schema", `The user ${primary.user} may not create tables in the schema "${schema}".`, { settings });
	}
	if (facts.tables === "of_another") {
		const others = [{ name: "Tables", value: facts.otherTables.join(", ") }];
		steps.fail("schema", `The schema "${schema}" contains tables of another program.`, { settings, facts: others });
	}
	if (facts.tables !== "ours") {
		if (facts.tables === "none" && mayCreate === true)
			steps.warn("schema", `The schema "${schema}" is empty; the server creates its tables at the start.`);
		return false;
	}
	return await checkVersion(client, textIndex, steps);
}

async function checkVersion(client: pg.Client, hasTextIndex: boolean, steps: Steps): Promise<boolean> {
	const version = await readSchemaVersion(client);
	const facts = [
		{ name: "Schema of the database", value: String(version) },
		{ name: "Schema of this Spanward", value: String(SCHEMA_VERSION) },
	];
	if (version > SCHEMA_VERSION)
		steps.fail("schema", "The database was written by a newer Spanward: start that one, or restore a backup.", {
			facts,
		});
	else if (version < SCHEMA_VERSION)
		steps.warn("schema", "The database was written by an older Spanward; the next start upgrades it.", { facts });
	else {
		steps.ok("schema", "The database has the schema of this Spanward.", { facts });
		await checkTables(client, hasTextIndex, steps);
	}
	return version === SCHEMA_VERSION;
}

async function checkReplica(settings: PostgresSettings, address: PostgresAddress, steps: Steps): Promise<void> {
	const client = makeClient(connectionConfig(settings, address, { name: "doctor", statementTimeoutMs: STATEMENT_MS }));
	const change = ["SERVICE_SQL_DATABASE_READ_REPLICA_URL"];
	try {
		await client.connect();
		const { rows } = await client.query(
			`select pg_is_in_recovery() as standby,
				case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
				else extract(epoch from now() - pg_last_xact_replay_timestamp()) end as lag`,
		);
		const { standby, lag } = rows[0];
		const facts = [
			{ name: "Server", value: serverName(address) },
			{ name: "Seconds behind the primary", value: String(Math.round(Number(lag ?? 0) * 10) / 10) },
		];
		if (standby !== true)
			steps.warn("replica", "The replica is not a standby: is it a copy of the same database?", {
				settings: change,
				facts,
			});
		else if (Number(lag ?? 0) > MAX_LAG_SECONDS)
			steps.warn("replica", "The replica lags behind the primary: new traces are shown late.", { facts });
		else steps.ok("replica", "The replica follows the primary.", { facts });
	} catch (error) {
		const explained = toOpenError(error, settings, address);
		const reason = explained instanceof Error ? explained.message : "";
		steps.fail("replica", `The replica cannot be read, so traces are read from the primary: ${reason}.`, {
			settings: change,
		});
	} finally {
		await client.end();
	}
}

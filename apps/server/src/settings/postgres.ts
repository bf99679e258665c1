import type { Config } from "../config.ts";
import type { PostgresAddress, PostgresSettings } from "../storage/postgres/postgres-settings.ts";

/** How to use PostgreSQL; undefined where SQLite keeps everything. */
export function postgresSettings(config: Config): PostgresSettings | undefined {
	const primary = primaryOf(config);
	if (primary === undefined) return undefined;
	const replica = config.SERVICE_SQL_DATABASE_READ_REPLICA_URL;
	return {
		primary,
		...(replica === null ? {} : { replica: addressOf(replica.reveal()) }),
		schema: config.SERVICE_SQL_DATABASE_SCHEMA,
		poolSize: config.SERVICE_DATABASE_POOL_SIZE,
		connectTimeoutMs: config.SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS * 1_000,
		statementTimeoutMs: config.SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS * 1_000,
		durability: config.SERVICE_DATABASE_DURABILITY,
		textIndex: config.SERVICE_ENABLE_TEXT_INDEX,
	};
}

function primaryOf(config: Config): PostgresAddress | undefined {
	const url = config.SERVICE_SQL_DATABASE_URL;
	if (url !== null) return addressOf(url.reveal());
	if (config.SERVICE_POSTGRES_HOST === null) return undefined;
	return {
		host: config.SERVICE_POSTGRES_HOST,
		port: config.SERVICE_POSTGRES_PORT,
		user: config.SERVICE_POSTGRES_USER ?? "postgres",
		password: config.SERVICE_POSTGRES_PASSWORD?.reveal(),
		database: config.SERVICE_POSTGRES_DB ?? config.SERVICE_POSTGRES_USER ?? "postgres",
		tls: false,
	};
}

function addressOf(text: string): PostgresAddress {
	const url = new URL(text);
	const user = decodeURIComponent(url.username) || "postgres";
	return {
		host: url.hostname,
		port: url.port === "" ? 5432 : Number(url.port),
		user,
		password: url.password === "" ? undefined : decodeURIComponent(url.password),
		database: decodeURIComponent(url.pathname.slice(1)) || user,
		tls: false,
	};
}

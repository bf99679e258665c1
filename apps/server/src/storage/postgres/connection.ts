import pg from "pg";
import type { PostgresAddress, PostgresSettings } from "./postgres-settings.ts";

const INT8 = 20;
const NUMERIC = 1700;

/** Counts, micros and row numbers are exact as numbers; see the doc comment of `TraceStore`. */
const types: pg.CustomTypesConfig = {
	getTypeParser: (oid, format) =>
		oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid as never, format as never),
};

export interface ConnectionUse {
	/** Shown in `pg_stat_activity`. */
	readonly name: string;
	/** 0 for none. */
	readonly statementTimeoutMs?: number;
}

/** What `pg` needs to connect to `address`. */
export function connectionConfig(
	settings: PostgresSettings,
	address: PostgresAddress,
	use: ConnectionUse,
): pg.ClientConfig {
	const { host, port, user, password, database, tls } = address;
	const options = [
		`search_path=${settings.schema.replaceAll(/[\\ ]/g, "\\$&")}`,
		`statement_timeout=${use.statementTimeoutMs ?? settings.statementTimeoutMs}`,
		"idle_in_transaction_session_timeout=30000",
		"jit=off",
		...(settings.durability === "relaxed" ? ["synchronous_commit=off"] : []),
	];
	return {
		host,
		port,
		user,
		...(password === undefined ? {} : { password }),
		database,
		ssl: tls,
		types,
		application_name: `spanward ${use.name}`,
		options: options.map((option) => `-c ${option}`).join(" "),
		connectionTimeoutMillis: settings.connectTimeoutMs,
		keepAlive: true,
	};
}

/** A pool of connections; errors of idle ones are told to `onError` and the connection is replaced. */
export function openPool(
	settings: PostgresSettings,
	address: PostgresAddress,
	use: ConnectionUse & { readonly size: number },
	onError: (error: Error) => void,
): pg.Pool {
	const pool = new pg.Pool({
		...connectionConfig(settings, address, use),
		max: use.size,
		idleTimeoutMillis: 60_000,
	});
	pool.on("error", onError);
	return pool;
}

import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import pg from "pg";
import type { PostgresAddress, PostgresSettings, PostgresTls } from "#base/postgres-address.ts";
import { binaryParser, readBinaryResults } from "./binary-results.ts";
import { type CommandPassword, passwordFromCommand } from "./password-command.ts";
import { reportingClient } from "./statements.ts";

const INT8 = 20;
const NUMERIC = 1700;

/** Counts, micros and row numbers are exact as numbers; see the doc comment of `TraceStore`. */
export const types: pg.CustomTypesConfig = {
	getTypeParser: (oid, format) => {
		if (format === "binary") return binaryParser(oid);
		return oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid as never, format as never);
	},
};

export interface ConnectionUse {
	/** Shown in `pg_stat_activity`. */
	readonly name: string;
	/** 0 for none. */
	readonly statementTimeoutMs?: number;
	/** 0 for none. */
	readonly idleInTransactionTimeoutMs?: number;
	/** Whether every statement reads few rows, for which there is an index. */
	readonly readsFewRows?: boolean;
}

/**
 * The index, whatever the statistics say: those of a new month are missing for a minute, in which a plan once made for
 * an empty table would read all of it for each batch.
 */
const FEW_ROWS = [
	"enable_seqscan=off",
	"enable_hashjoin=off",
	"enable_mergejoin=off",
	"plan_cache_mode=force_custom_plan",
];

/** For work that takes as long as it takes. */
export const UNLIMITED: Omit<ConnectionUse, "name"> = { statementTimeoutMs: 0, idleInTransactionTimeoutMs: 0 };

const IDLE_IN_TRANSACTION_MS = 30_000;

/** What `pg` needs to connect to `address`. */
export function connectionConfig(
	settings: PostgresSettings,
	address: PostgresAddress,
	use: ConnectionUse,
): pg.ClientConfig {
	const { host, port, user, password, passwordCommand, database, tls } = address;
	const options = [
		// Quoted to keep its case; the settings refuse names that would need escaping.
		`search_path="${settings.schema}"`,
		`statement_timeout=${use.statementTimeoutMs ?? settings.statementTimeoutMs}`,
		`idle_in_transaction_session_timeout=${use.idleInTransactionTimeoutMs ?? IDLE_IN_TRANSACTION_MS}`,
		"jit=off",
		...(use.readsFewRows ? FEW_ROWS : []),
		...(settings.durability === "relaxed" ? ["synchronous_commit=off"] : []),
	];
	return {
		host,
		port,
		user,
		...(password === undefined ? {} : { password }),
		...(passwordCommand === undefined ? {} : { password: passwordFromCommand(passwordCommand) }),
		database,
		ssl: tls === false ? false : tlsOptions(tls, host),
		types,
		application_name: `${address.applicationName ?? "spanward"} ${use.name}`,
		options: options.map((option) => `-c ${option}`).join(" "),
		connectionTimeoutMillis: settings.connectTimeoutMs,
		keepAlive: true,
	};
}

function tlsOptions({ verifies, ca, cert, key }: PostgresTls, host: string): ConnectionOptions {
	return {
		minVersion: "TLSv1.2",
		...(ca === undefined ? {} : { ca }),
		...(cert === undefined ? {} : { cert }),
		...(key === undefined ? {} : { key }),
		rejectUnauthorized: verifies !== "nothing",
		checkServerIdentity: (_name, certificate) =>
			verifies === "name" ? checkServerIdentity(host, certificate) : undefined,
	};
}

/** A connection that is not open yet. */
export function makeClient(config: pg.ClientConfig): pg.Client {
	const client = new pg.Client(config);
	readBinaryResults(client);
	client.on("error", leaveToStatements);
	return client;
}

/**
 * An error of a connection in use reaches its caller through the statement that fails. Without a listener the event
 * would end the process.
 */
function leaveToStatements(): void {}

/** Invalid password, or invalid authorization: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOG_IN_REFUSED = new Set(["28P01", "28000"]);

function isFromCommand(password: pg.ClientConfig["password"]): password is CommandPassword {
	return typeof password === "function" && "refused" in password;
}

/** A pool of connections. Errors of idle connections go to `onError`, and the connection is replaced. */
export function openPool(
	settings: PostgresSettings,
	address: PostgresAddress,
	use: ConnectionUse & { readonly size: number },
	onError: (error: Error) => void,
): pg.Pool {
	const config = connectionConfig(settings, address, use);
	const pool = new pg.Pool({
		...config,
		Client: reportingClient(use.name, (code) => {
			if (LOG_IN_REFUSED.has(code) && isFromCommand(config.password)) config.password.refused();
		}),
		max: use.size,
		idleTimeoutMillis: 60_000,
	});
	pool.on("error", onError);
	pool.on("connect", (client) => client.on("error", leaveToStatements));
	return pool;
}

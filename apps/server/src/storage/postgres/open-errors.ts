import { type ConnectionFailure, codeOf, connectionFailure } from "#base/connection-failures.ts";
import type { PostgresAddress, PostgresSettings } from "#base/postgres-address.ts";
import { OpenError } from "../open-error.ts";
import { PasswordCommandFailed } from "./password-command.ts";

/** PostgreSQL cannot be used with these settings. */
export class PostgresOpenError extends OpenError {
	override readonly name = "PostgresOpenError";
}

const URL_OR_PARTS = "SERVICE_SQL_DATABASE_URL or SERVICE_POSTGRES_HOST";
const TLS_MODE = "SERVICE_POSTGRES_TLS_MODE";
const TLS_CA = "SERVICE_POSTGRES_TLS_CA_FILE";
const ADDRESS_SETTINGS = ["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_HOST"];
const PASSWORD_SETTINGS = ["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_USER", "SERVICE_POSTGRES_PASSWORD"];

interface Explanation {
	readonly text: string;
	readonly settings: readonly string[];
	readonly mayPass?: boolean;
}

/** `host:port`, as in messages. */
export function serverName({ host, port }: PostgresAddress): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Explains why PostgreSQL could not be opened, with what to change; returns any other error unchanged. */
export function toOpenError(error: unknown, settings: PostgresSettings, address = settings.primary): unknown {
	if (!(error instanceof Error) || error instanceof PostgresOpenError) return error;
	const explained = explain(error, settings, address);
	if (explained === undefined) return error;
	const { text, settings: change, mayPass = false } = explained;
	return new PostgresOpenError(text, change, { mayPass, cause: error });
}

function explain(error: Error, settings: PostgresSettings, address: PostgresAddress): Explanation | undefined {
	if (error instanceof PasswordCommandFailed)
		return { text: error.message, settings: ["SERVICE_POSTGRES_PASSWORD_COMMAND"] };
	const code = codeOf(error);
	return bySqlState(code, error, settings, address) ?? bySocket(error, address);
}

function bySqlState(
	code: string,
	error: Error,
	{ schema }: PostgresSettings,
	address: PostgresAddress,
): Explanation | undefined {
	const server = serverName(address);
	const { user, database } = address;
	switch (code) {
		case "28P01":
			return {
				text: `PostgreSQL at ${server} refuses the password of the user ${quoted(user)}: ${PASSWORD_SETTINGS.join(" or ")}`,
				settings: PASSWORD_SETTINGS,
			};
		case "28000":
			return {
				text: /pg_hba|encryption|certificate/i.test(error.message)
					? `PostgreSQL at ${server} does not let in the user ${quoted(user)} from here ${address.tls === false ? "without TLS" : "this way"}: its pg_hba.conf, or ${TLS_MODE}=verify-full and SERVICE_POSTGRES_TLS_CERT_FILE`
					: `PostgreSQL at ${server} does not let in the user ${quoted(user)}: ${PASSWORD_SETTINGS.join(" or ")}`,
				settings: [...PASSWORD_SETTINGS, TLS_MODE, "SERVICE_POSTGRES_TLS_CERT_FILE"],
			};
		case "3D000":
			return {
				text: `PostgreSQL at ${server} has no database ${quoted(database)}: create database ${quoted(database)} makes it, SERVICE_SQL_DATABASE_URL or SERVICE_POSTGRES_DB names another`,
				settings: ["SERVICE_SQL_DATABASE_URL", "SERVICE_POSTGRES_DB"],
			};
		case "42501":
			return {
				text: `the user ${quoted(user)} of PostgreSQL has not the right to do what is needed in the schema ${quoted(schema)}: grant create on database ${quoted(database)}, or create schema ${quoted(schema)} authorization ${quoted(user)}; SERVICE_SQL_DATABASE_SCHEMA names another`,
				settings: ["SERVICE_SQL_DATABASE_SCHEMA", "SERVICE_POSTGRES_USER"],
			};
		case "08P01":
			return /startup parameter/.test(error.message)
				? {
						text: `what answers at ${server} is a connection pooler that does not take the settings of a connection: ${URL_OR_PARTS} has to lead to PostgreSQL itself`,
						settings: ADDRESS_SETTINGS,
					}
				: undefined;
		case "53300":
			return {
				text: `PostgreSQL at ${server} has no connections left: SERVICE_DATABASE_POOL_SIZE of all servers together must stay below its max_connections`,
				settings: ["SERVICE_DATABASE_POOL_SIZE"],
				mayPass: true,
			};
		case "57P03":
			return { text: `PostgreSQL at ${server} is starting or stopping`, settings: [], mayPass: true };
		case "53100":
			return { text: `the disk of PostgreSQL at ${server} is full`, settings: [], mayPass: true };
		case "25006":
			return readOnlyServer(address);
		default:
			return undefined;
	}
}

export function readOnlyServer(address: PostgresAddress): Explanation {
	return {
		text: `PostgreSQL at ${serverName(address)} takes no changes, as a standby does: ${URL_OR_PARTS} has to lead to the primary`,
		settings: ADDRESS_SETTINGS,
	};
}

const BY_FAILURE: Readonly<Record<ConnectionFailure, (server: string, host: string) => Explanation>> = {
	unknown_host: (_, host) => ({
		text: `there is no host ${quoted(host)}, which ${URL_OR_PARTS} names`,
		settings: ADDRESS_SETTINGS,
		mayPass: true,
	}),
	refused: (server) => ({
		text: `nothing answers at ${server}, where ${URL_OR_PARTS} has PostgreSQL`,
		settings: ADDRESS_SETTINGS,
		mayPass: true,
	}),
	unreachable: (server) => ({
		text: `there is no way to ${server}, where ${URL_OR_PARTS} has PostgreSQL`,
		settings: ADDRESS_SETTINGS,
		mayPass: true,
	}),
	hung_up: (server) => ({
		text: `${server}, where ${URL_OR_PARTS} has PostgreSQL, hung up`,
		settings: ADDRESS_SETTINGS,
		mayPass: true,
	}),
	timeout: (server) => ({
		text: `PostgreSQL at ${server} did not answer within SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS`,
		settings: [...ADDRESS_SETTINGS, "SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS"],
		mayPass: true,
	}),
	self_signed_certificate: untrusted,
	untrusted_certificate: untrusted,
	expired_certificate: (server) => ({
		text: `the certificate of PostgreSQL at ${server} has expired: it has to be renewed there`,
		settings: [TLS_MODE],
	}),
	early_certificate: (server) => ({
		text: `the certificate of PostgreSQL at ${server} is not valid yet: the clock of this machine or of that may be wrong`,
		settings: [TLS_MODE],
	}),
	certificate_of_another: (server, host) => ({
		text: `the certificate of PostgreSQL at ${server} is not for ${quoted(host)}: ${URL_OR_PARTS} has to name it as the certificate does, or ${TLS_MODE}=verify-ca asks for any of the authority`,
		settings: [...ADDRESS_SETTINGS, TLS_MODE],
	}),
	no_tls: (server) => ({
		text: `TLS with PostgreSQL at ${server} did not come about: ${TLS_MODE} or what stands in between`,
		settings: [TLS_MODE],
	}),
};

function untrusted(server: string): Explanation {
	return {
		text: `the certificate of PostgreSQL at ${server} is of an authority that is not trusted: ${TLS_CA} names the file of it`,
		settings: [TLS_CA, TLS_MODE],
	};
}

/** Errors without a code of PostgreSQL or the system are recognized by the driver's messages. */
function bySocket(error: Error, address: PostgresAddress): Explanation | undefined {
	const server = serverName(address);
	if (/does not support SSL/.test(error.message))
		return {
			text: `PostgreSQL at ${server} has TLS switched off: switch it on there (ssl = on), or ${TLS_MODE}=disable sends passwords and traces unencrypted`,
			settings: [TLS_MODE],
		};
	// https://www.rfc-editor.org/rfc/rfc8446#section-6: after an alert the server sends nothing more.
	if (/^ERR_SSL_\w*ALERT/.test(codeOf(error)))
		return {
			text: `PostgreSQL at ${server} refuses the certificate that this server shows: SERVICE_POSTGRES_TLS_CERT_FILE and SERVICE_POSTGRES_TLS_KEY_FILE`,
			settings: ["SERVICE_POSTGRES_TLS_CERT_FILE", "SERVICE_POSTGRES_TLS_KEY_FILE"],
		};
	const code = codeOf(error);
	if (code === "EACCES" || code === "ENOENT")
		return {
			...BY_FAILURE.refused(server, address.host),
			text: `there is no socket of PostgreSQL in ${quoted(address.host)} that may be used, which ${URL_OR_PARTS} names`,
		};
	const failure = connectionFailure(error);
	if (failure !== undefined) return BY_FAILURE[failure](server, address.host);
	if (/timeout|timed out/i.test(error.message)) return BY_FAILURE.timeout(server, address.host);
	if (/must be a string|no password|password/i.test(error.message))
		return {
			text: `PostgreSQL at ${server} asks for a password of the user ${quoted(address.user)}, and none is set: ${PASSWORD_SETTINGS.join(" or ")}`,
			settings: PASSWORD_SETTINGS,
		};
	if (/terminated|ended unexpectedly/i.test(error.message)) return BY_FAILURE.hung_up(server, address.host);
	return undefined;
}

function quoted(name: string): string {
	return JSON.stringify(name);
}

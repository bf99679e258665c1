import type { SecretText } from "../secret-text.ts";
import { type PostgresTlsMode, TLS_MODES, tlsModeProblem } from "./postgres-url.ts";
import { setting } from "./setting.ts";
import { boolean, choice, integer, oneOf, port, secret, text, valueKind } from "./value-kinds.ts";

const tlsMode = valueKind<PostgresTlsMode | null>(oneOf(TLS_MODES), (value, wrong) => {
	const mode = TLS_MODES.find((known) => known === value);
	if (mode === undefined) wrong(tlsModeProblem(value));
	return mode ?? null;
});

/** Where and how everything is kept in PostgreSQL. With none of the addresses set, SQLite keeps it in the working folder. */
export const POSTGRES = {
	SERVICE_SQL_DATABASE_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a PostgreSQL database, such as postgresql://user:password@host:5432/database?sslmode=verify-full; takes precedence over SERVICE_POSTGRES_HOST and related settings. sqlite:////folder/file means the folder of that file, sqlite:///:memory: a temporary one that is deleted when the server stops.",
		{ secret: true },
	),
	SERVICE_SQL_DATABASE_READ_REPLICA_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a read replica, from which traces are read; without user and password, those of the primary are used.",
		{ secret: true },
	),
	SERVICE_SQL_DATABASE_SCHEMA: setting(
		text,
		"public",
		"Schema in the PostgreSQL database; created if it does not exist and the user has the privilege.",
	),
	SERVICE_POSTGRES_HOST: setting<string | null>(
		text,
		null,
		"Host of PostgreSQL, instead of an address; a path is the folder of its socket. Needs a user and a password.",
	),
	SERVICE_POSTGRES_PORT: setting(port(1), 5432, "Port of PostgreSQL."),
	SERVICE_POSTGRES_USER: setting<string | null>(text, null, "PostgreSQL user."),
	SERVICE_POSTGRES_PASSWORD: setting<SecretText | null>(secret, null, "PostgreSQL password.", { secret: true }),
	SERVICE_POSTGRES_PASSWORD_COMMAND: setting<string | null>(
		text,
		null,
		"Command that prints the password, instead of a fixed one; run by the shell when connecting, at most once a minute unless a log-in was refused.",
	),
	SERVICE_POSTGRES_DB: setting<string | null>(text, null, "PostgreSQL database.", { defaultText: "as the user" }),
	SERVICE_POSTGRES_TLS_MODE: setting<PostgresTlsMode | null>(
		tlsMode,
		null,
		"TLS mode if the address has no sslmode: disable, require (encrypt), verify-ca (also check the certificate's authority), verify-full (also check its host name).",
		{ defaultText: "verify-full, or disable for this machine" },
	),
	SERVICE_POSTGRES_TLS_CA_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the CA certificates for PostgreSQL's certificate.",
		{ defaultText: "those that Node knows" },
	),
	SERVICE_POSTGRES_TLS_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file with the client certificate for PostgreSQL.",
	),
	SERVICE_POSTGRES_TLS_KEY_FILE: setting<string | null>(text, null, "PEM file with its key, not encrypted."),
	SERVICE_POSTGRES_USE_AWS_IAM_AUTH: setting(
		boolean,
		false,
		"Log in to PostgreSQL with AWS IAM: SERVICE_POSTGRES_PASSWORD_COMMAND prints the token.",
	),
	SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: setting(
		boolean,
		false,
		"Log in to PostgreSQL with an Azure managed identity: SERVICE_POSTGRES_PASSWORD_COMMAND prints the token.",
	),
	SERVICE_DATABASE_POOL_SIZE: setting(
		integer(2, 1_000),
		10,
		"Size of each connection pool to PostgreSQL; a process also opens one connection for each ingest worker and one that listens.",
	),
	SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS: setting(
		integer(1, 86_400),
		30,
		"Seconds after which PostgreSQL or ClickHouse cancels a statement.",
	),
	SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS: setting(
		integer(1, 600),
		5,
		"Seconds that connecting to PostgreSQL may take.",
	),
	SERVICE_DATABASE_DURABILITY: setting<"full" | "relaxed">(
		choice("full", "relaxed"),
		"full",
		"Whether PostgreSQL acknowledges a commit, and ClickHouse an insert, only once it is on disk (full), or may lose the last moments in a crash (relaxed).",
	),
};

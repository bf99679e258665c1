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
		"Address of a PostgreSQL database, such as postgresql://user:password@host:5432/database?sslmode=verify-full; wins over SERVICE_POSTGRES_HOST and its kin. sqlite:////folder/file means a folder beside that file, sqlite:///:memory: one that goes when the server stops.",
		{ secret: true },
	),
	SERVICE_SQL_DATABASE_READ_REPLICA_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a replica of it, from which traces are read; user and password are those of the primary where it has none.",
		{ secret: true },
	),
	SERVICE_SQL_DATABASE_SCHEMA: setting(
		text,
		"public",
		"Schema in the PostgreSQL database; made when it is not there and the user may.",
	),
	SERVICE_POSTGRES_HOST: setting<string | null>(
		text,
		null,
		"Host of PostgreSQL, instead of an address; a path is the folder of its socket. Needs user and password.",
	),
	SERVICE_POSTGRES_PORT: setting(port(1), 5432, "Port of PostgreSQL."),
	SERVICE_POSTGRES_USER: setting<string | null>(text, null, "User in PostgreSQL."),
	SERVICE_POSTGRES_PASSWORD: setting<SecretText | null>(secret, null, "Password in PostgreSQL.", { secret: true }),
	SERVICE_POSTGRES_PASSWORD_COMMAND: setting<string | null>(
		text,
		null,
		"Command whose output is the password, in place of one that is set: run by the shell when a connection is made, at most once a minute unless a log-in was refused.",
	),
	SERVICE_POSTGRES_DB: setting<string | null>(text, null, "Database in PostgreSQL.", { defaultText: "as the user" }),
	SERVICE_POSTGRES_TLS_MODE: setting<PostgresTlsMode | null>(
		tlsMode,
		null,
		"disable, require (encrypts), verify-ca (and asks for a certificate of the authority), verify-full (and of this host), where the address has no sslmode.",
		{ defaultText: "verify-full, or disable for this machine" },
	),
	SERVICE_POSTGRES_TLS_CA_FILE: setting<string | null>(
		text,
		null,
		"PEM file of the authorities of PostgreSQL's certificate.",
		{ defaultText: "those that Node knows" },
	),
	SERVICE_POSTGRES_TLS_CERT_FILE: setting<string | null>(
		text,
		null,
		"PEM file of the certificate that this server shows to PostgreSQL.",
	),
	SERVICE_POSTGRES_TLS_KEY_FILE: setting<string | null>(text, null, "PEM file of its key, not encrypted."),
	SERVICE_POSTGRES_USE_AWS_IAM_AUTH: setting(
		boolean,
		false,
		"Log in to PostgreSQL by AWS IAM: SERVICE_POSTGRES_PASSWORD_COMMAND prints the token.",
	),
	SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: setting(
		boolean,
		false,
		"Log in to PostgreSQL by a managed identity of Azure: SERVICE_POSTGRES_PASSWORD_COMMAND prints the token.",
	),
	SERVICE_DATABASE_POOL_SIZE: setting(
		integer(2, 1_000),
		10,
		"Most connections to PostgreSQL that a process opens, besides one for each ingest worker and one that listens.",
	),
	SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS: setting(
		integer(1, 86_400),
		30,
		"How long PostgreSQL works on a statement before it is given up.",
	),
	SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS: setting(
		integer(1, 600),
		5,
		"How long a connection to PostgreSQL may take to be made.",
	),
	SERVICE_DATABASE_DURABILITY: setting<"full" | "relaxed">(
		choice("full", "relaxed"),
		"full",
		"Whether PostgreSQL answers after the commit is on disk (full), or may lose the last moments in a crash (relaxed).",
	),
};

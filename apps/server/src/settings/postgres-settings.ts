import { z } from "zod";
import type { SecretText } from "../auth/secret-text.ts";
import { setting } from "./setting.ts";
import { boolean, integer, port, secret, text } from "./value-kinds.ts";

/** Where and how everything is kept in PostgreSQL. With none of the addresses set, SQLite keeps it in the working folder. */
export const POSTGRES = {
	SERVICE_SQL_DATABASE_URL: setting<SecretText | null>(secret, null, "Address of a PostgreSQL database.", {
		secret: true,
	}),
	SERVICE_SQL_DATABASE_READ_REPLICA_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a replica of it, from which traces are read.",
		{ secret: true },
	),
	SERVICE_SQL_DATABASE_SCHEMA: setting(text, "public", "Schema in the PostgreSQL database."),
	SERVICE_POSTGRES_HOST: setting<string | null>(text, null, "Host of PostgreSQL, instead of an address."),
	SERVICE_POSTGRES_PORT: setting(port(1), 5432, "Port of PostgreSQL."),
	SERVICE_POSTGRES_USER: setting<string | null>(text, null, "User in PostgreSQL."),
	SERVICE_POSTGRES_PASSWORD: setting<SecretText | null>(secret, null, "Password in PostgreSQL.", { secret: true }),
	SERVICE_POSTGRES_DB: setting<string | null>(text, null, "Database in PostgreSQL."),
	SERVICE_POSTGRES_USE_AWS_IAM_AUTH: setting(boolean, false, "Log in to PostgreSQL by AWS IAM.", { planned: true }),
	SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: setting(
		boolean,
		false,
		"Log in to PostgreSQL by a managed identity of Azure.",
		{ planned: true },
	),
	SERVICE_POSTGRES_AZURE_SCOPE: setting<string | null>(text, null, "Scope of the managed identity.", { planned: true }),
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
		z.enum(["full", "relaxed"], { error: "must be full or relaxed" }),
		"full",
		"Whether PostgreSQL answers after the commit is on disk (full), or may lose the last moments in a crash (relaxed).",
	),
};

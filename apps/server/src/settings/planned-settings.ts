import type { SecretText } from "../auth/secret-text.ts";
import { setting } from "./setting.ts";
import { boolean, integer, port, secret, text } from "./value-kinds.ts";

const planned = { planned: true };
const plannedSecret = { planned: true, secret: true };

/** Understood, so that a deployment may set them already; each is named in a warning at the start. */
export const PLANNED = {
	SERVICE_SQL_DATABASE_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a PostgreSQL database.",
		plannedSecret,
	),
	SERVICE_SQL_DATABASE_READ_REPLICA_URL: setting<SecretText | null>(
		secret,
		null,
		"Address of a PostgreSQL database to read from.",
		plannedSecret,
	),
	SERVICE_SQL_DATABASE_SCHEMA: setting<string | null>(text, null, "Schema in PostgreSQL.", planned),
	SERVICE_POSTGRES_HOST: setting<string | null>(text, null, "Host of PostgreSQL.", planned),
	SERVICE_POSTGRES_PORT: setting(port(1), 5432, "Port of PostgreSQL.", planned),
	SERVICE_POSTGRES_USER: setting<string | null>(text, null, "User in PostgreSQL.", planned),
	SERVICE_POSTGRES_PASSWORD: setting<SecretText | null>(secret, null, "Password in PostgreSQL.", plannedSecret),
	SERVICE_POSTGRES_DB: setting<string | null>(text, null, "Database in PostgreSQL.", planned),
	SERVICE_POSTGRES_USE_AWS_IAM_AUTH: setting(boolean, false, "Log in to PostgreSQL by AWS IAM.", planned),
	SERVICE_POSTGRES_USE_AZURE_MANAGED_IDENTITY: setting(
		boolean,
		false,
		"Log in to PostgreSQL by a managed identity of Azure.",
		planned,
	),
	SERVICE_POSTGRES_AZURE_SCOPE: setting<string | null>(text, null, "Scope of the managed identity.", planned),
	SERVICE_MAX_SPANS_QUEUE_SIZE: setting(
		integer(1, 1_000_000_000),
		20_000,
		"Most spans that wait to be stored; here SERVICE_INGEST_QUEUE_BYTES bounds them.",
		planned,
	),
};

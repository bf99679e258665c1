import { readConfig } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { ofArgument } from "./of-argument.ts";

const VARIABLE = "SERVICE_SQL_DATABASE_URL";

/** Whether an argument names a PostgreSQL database. */
export function isPostgresAddress(address: string): boolean {
	return /^postgres(ql)?:\/\//.test(address);
}

/**
 * The connection settings for the address in an argument, with all others from the environment.
 * @param schema by default that of the environment
 * @throws CommandError for a wrong address, ConfigError for other wrong settings
 */
export function settingsOfAddress(
	address: string,
	schema: string | undefined,
	environment: Environment,
): PostgresSettings {
	const settings = ofArgument(VARIABLE, () =>
		postgresSettings(
			readConfig({
				...environment,
				[VARIABLE]: address,
				...(schema === undefined ? {} : { SERVICE_SQL_DATABASE_SCHEMA: schema }),
			}),
		),
	);
	if (settings === undefined) throw new Error("an address of PostgreSQL leads to no settings");
	return settings;
}

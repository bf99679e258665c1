import { ConfigError, readConfig } from "#base/config.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { postgresSettings } from "#base/settings/postgres.ts";
import type { Environment } from "#base/settings/setting.ts";
import { CommandError, EXIT_USAGE } from "./command-error.ts";

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
	try {
		const settings = postgresSettings(
			readConfig({
				...environment,
				[VARIABLE]: address,
				...(schema === undefined ? {} : { SERVICE_SQL_DATABASE_SCHEMA: schema }),
			}),
		);
		if (settings === undefined) throw new Error("an address of PostgreSQL leads to no settings");
		return settings;
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		const ofAddress = error.problems.filter((problem) => problem.includes(VARIABLE));
		if (ofAddress.length < error.problems.length) throw error;
		const ofArgument = ofAddress.map((problem) =>
			problem.replace(new RegExp(`^${VARIABLE}`), "The address").replaceAll(VARIABLE, "the address"),
		);
		throw new CommandError(EXIT_USAGE, ofArgument.join("\n"));
	}
}

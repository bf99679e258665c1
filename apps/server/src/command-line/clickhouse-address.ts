import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { readConfig } from "#base/config.ts";
import { clickHouseSettings } from "#base/settings/clickhouse.ts";
import type { Environment } from "#base/settings/setting.ts";
import { CommandError, EXIT_USAGE } from "./command-error.ts";
import { aboutAddress, ofArgument } from "./of-argument.ts";

const VARIABLE = "SERVICE_CLICKHOUSE_URL";
const ACCOUNT = ["SERVICE_CLICKHOUSE_USER", "SERVICE_CLICKHOUSE_PASSWORD", "SERVICE_CLICKHOUSE_PASSWORD_FILE"];
const LIKE = "clickhouse:http://clickhouse.example:8123?database=spanward";

/**
 * The settings for `clickhouse:<address>[?database=<name>]` in an argument, with all others from the environment. An
 * address with a user is asked with that one and its password alone.
 * @throws CommandError for a wrong address, ConfigError for other wrong settings
 */
export function settingsOfClickHouse(argument: string, environment: Environment): ClickHouseSettings {
	const [, address, parameters] = /^clickhouse:([^?]*)(?:\?(.*))?$/s.exec(argument) ?? [];
	const given = new URLSearchParams(parameters);
	const database = given.get("database");
	if (address === undefined || given.size > (database === null ? 0 : 1))
		throw new CommandError(EXIT_USAGE, `Where traces are in ClickHouse is given like ${LIKE}`);
	const hasUser = /^https?:\/\/[^/?#]*@/i.test(address);
	const others = Object.entries(environment).filter(([name]) => !hasUser || !ACCOUNT.includes(name));
	const settings = ofArgument(VARIABLE, () =>
		clickHouseSettings(
			readConfig({
				...Object.fromEntries(others),
				[VARIABLE]: address,
				...(database === null ? {} : { SERVICE_CLICKHOUSE_DATABASE: database }),
			}),
		),
	);
	if (settings === undefined)
		throw new CommandError(EXIT_USAGE, `Where traces are in ClickHouse is given like ${LIKE}`);
	return settings;
}

/** What is wrong with ClickHouse, where its address comes from an argument. */
export function ofClickHouse(sentence: string): string {
	return aboutAddress(VARIABLE, sentence).replaceAll("SERVICE_CLICKHOUSE_DATABASE", "the address, by ?database=");
}

import { checkTogether } from "./settings/checks.ts";
import { withTextIndexDefault } from "./settings/clickhouse.ts";
import { checkExposure } from "./settings/exposure.ts";
import { readProviders, splitProviderVariable } from "./settings/read-providers.ts";
import { readTable } from "./settings/read-table.ts";
import type { Environment, SettingTable } from "./settings/setting.ts";
import { type Config, SETTINGS } from "./settings/settings.ts";
import { withSqliteUrl } from "./settings/sqlite-url.ts";
import { warnOfUnknown } from "./settings/unknown-variables.ts";
import { warnOfSettings } from "./settings/warnings.ts";

export type { Config } from "./settings/settings.ts";

/**
 * A mistake that keeps the service from starting and that an operator can fix: wrong settings, or settings that do not
 * fit the stored data.
 */
export class ConfigError extends Error {
	override readonly name = "ConfigError";
	readonly problems: readonly string[];

	constructor(problems: readonly string[]) {
		super(`Spanward cannot start:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
		this.problems = problems;
	}
}

const TABLE: SettingTable = SETTINGS;

/**
 * Reads every setting from `environment`; values are trimmed, and an empty variable counts as unset.
 * @param options `listens: false` for a command that opens no port, and so need not say whom it lets in
 * @throws ConfigError naming every wrong variable at once, without any secret
 */
export function readConfig(environment: Environment, { listens = true } = {}): Config {
	const { values, problems: wrong, failed } = readTable(TABLE, environment);
	const { providers, problems: ofProviders } = readProviders(environment);
	const given = withSqliteUrl({ ...values, OAUTH2_PROVIDERS: providers } as unknown as Config);
	const config = withTextIndexDefault(given, environment);
	const allFailed = ofProviders.length === 0 ? failed : new Set([...failed, "OAUTH2_PROVIDERS"]);
	const exposed = listens && !failed.has("SERVICE_HOST") ? checkExposure(config, environment) : [];
	const problems = [...wrong, ...ofProviders, ...checkTogether(config, allFailed), ...exposed];
	if (problems.length > 0) throw new ConfigError(problems);
	return config;
}

/** Warnings for the log about settings that did not stop the start. */
export function settingWarnings(config: Config, environment: Environment): readonly string[] {
	return [...warnOfUnknown(environment, new Set(variableNames())), ...warnOfSettings(config, environment)];
}

/**
 * Removes the secrets from an environment that has been read, so that no dump of it and no child process contains them.
 */
export function forgetSecrets(environment: Record<string, string | undefined>): void {
	for (const [name, { secret }] of Object.entries(TABLE)) if (secret === true) delete environment[name];
	for (const name of Object.keys(environment)) if (splitProviderVariable(name)?.isSecret) delete environment[name];
}

/** Whose libraries are loaded here: each looks for keys and addresses in the environment. */
const OF_LIBRARIES = /^(OPENAI|ANTHROPIC|GOOGLE_GENERATIVE_AI|AWS|AI_GATEWAY)_/;

/**
 * Removes what libraries that speak to models would take for theirs. None of it is used: a model connection has its own key
 * and address. One of these variables that is set but empty even keeps its library from being loaded.
 */
export function forgetLibraryVariables(environment: Record<string, string | undefined>): void {
	for (const name of Object.keys(environment)) if (OF_LIBRARIES.test(name)) delete environment[name];
}

function variableNames(): readonly string[] {
	return Object.entries(TABLE).flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name]));
}

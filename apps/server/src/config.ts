import { checkTogether } from "./settings/checks.ts";
import { readVariable } from "./settings/read-variable.ts";
import { type Environment, type SettingTable, shown } from "./settings/setting.ts";
import { type Config, SETTINGS } from "./settings/settings.ts";
import { warnOfUnknown } from "./settings/unknown-variables.ts";
import { warnOfSettings } from "./settings/warnings.ts";

export type { Config } from "./settings/settings.ts";

/** What keeps the service from starting and an operator can put right: settings, or settings that do not fit what is stored. */
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
 * @throws ConfigError naming every variable that is wrong, at once; it shows no secret
 */
export function readConfig(environment: Environment): Config {
	const problems: string[] = [];
	const failed = new Set<string>();
	const values: Record<string, unknown> = {};
	for (const [name, { schema, default: fallback, secret = false }] of Object.entries(TABLE)) {
		const fail = (problem: string) => {
			problems.push(problem);
			failed.add(name);
		};
		values[name] = fallback;
		const variable = readVariable(name, environment, secret);
		if ("problem" in variable) fail(variable.problem);
		else if (variable.text !== undefined) {
			const parsed = schema.safeParse(variable.text);
			if (parsed.success) values[name] = parsed.data;
			else {
				const value = secret ? "" : ` (it is ${shown(variable.text)})`;
				fail(`${name} ${parsed.error.issues.map((issue) => issue.message).join(", ")}${value}`);
			}
		}
	}
	const config = { ...values, OAUTH2_PROVIDERS: [] } as unknown as Config;
	problems.push(...checkTogether(config, failed));
	if (problems.length > 0) throw new ConfigError(problems);
	return config;
}

/** What is to be logged at the start about settings that did not stop it. */
export function settingWarnings(config: Config, environment: Environment): readonly string[] {
	return [...warnOfUnknown(environment, new Set(variableNames())), ...warnOfSettings(config, environment)];
}

/** Takes the secrets out of an environment that has been read, so that no dump of it and no child process has them. */
export function forgetSecrets(environment: Record<string, string | undefined>): void {
	for (const [name, { secret }] of Object.entries(TABLE)) if (secret === true) delete environment[name];
}

function variableNames(): readonly string[] {
	return Object.entries(TABLE).flatMap(([name, { secret }]) => (secret === true ? [name, `${name}_FILE`] : [name]));
}

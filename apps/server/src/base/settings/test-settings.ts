import { ConfigError, readConfig, settingWarnings } from "../config.ts";

type Variables = Readonly<Record<string, string>>;

/** The problems that stop a start with these variables; empty when there are none. */
export function problems(environment: Variables): readonly string[] {
	try {
		readConfig(environment);
		return [];
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return error.problems;
	}
}

/** What a start with these variables warns of. */
export function warnings(environment: Variables): readonly string[] {
	return settingWarnings(readConfig(environment), environment);
}

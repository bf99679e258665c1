import { ConfigError } from "#base/config.ts";
import { CommandError, EXIT_USAGE } from "./command-error.ts";

/**
 * Reads settings of which one, the address, comes from an argument.
 * @param variable the setting of the address
 * @throws CommandError when only the address is wrong, ConfigError for other wrong settings
 */
export function ofArgument<Settings>(variable: string, read: () => Settings): Settings {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		const ofAddress = error.problems.filter((problem) => problem.includes(variable));
		if (ofAddress.length < error.problems.length) throw error;
		const renamed = ofAddress.map((problem) => aboutAddress(variable, problem));
		throw new CommandError(EXIT_USAGE, renamed.join("\n"));
	}
}

/** A sentence about a setting, as one about the address. */
export function aboutAddress(variable: string, sentence: string): string {
	return sentence.replace(new RegExp(`^${variable}`), "The address").replaceAll(variable, "the address");
}

import { createRequire } from "node:module";
import { UnfitInput } from "./built-in.ts";

/** Instructions of a compiled expression; matching takes at most as many steps per character. */
const MAX_PROGRAM = 2_000;
/** Instructions times characters. */
const MAX_STEPS = 50_000_000;

export interface RegexFlags {
	readonly ignoreCase?: boolean;
	readonly multiline?: boolean;
	readonly dotAll?: boolean;
}

/** A regular expression that is matched by RE2, in time that grows with the text alone. */
export interface LinearRegex {
	/** The first match anywhere in the text; undefined for none. @throws UnfitInput for a text that is too long for it */
	readonly find: (text: string) => string | undefined;
	/** Whether it matches the whole text. @throws UnfitInput */
	readonly matches: (text: string) => boolean;
}

/** What is wrong with an expression; undefined when it is right. */
export function linearRegexProblem(pattern: string): string | undefined {
	try {
		const size = compile(pattern, {}).programSize();
		return size > MAX_PROGRAM
			? `the regular expression is too large: ${size} steps, ${MAX_PROGRAM} at most`
			: undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** @throws what RE2 says of an expression that it does not take */
export function linearRegex(pattern: string, flags: RegexFlags = {}): LinearRegex {
	const regex = compile(pattern, flags);
	const mostCharacters = Math.floor(MAX_STEPS / Math.max(1, regex.programSize()));
	const check = (text: string) => {
		if (text.length <= mostCharacters) return;
		const message = `the text has ${text.length} characters, and this regular expression takes ${mostCharacters} at most`;
		throw new UnfitInput("too_long", message);
	};
	return {
		find: (text) => {
			check(text);
			const matcher = regex.matcher(text);
			return matcher.find() ? (matcher.group() ?? "") : undefined;
		},
		matches: (text) => {
			check(text);
			return regex.matches(text);
		},
	};
}

/** Loaded when it is first needed: it takes 3 MB. */
function compile(pattern: string, { ignoreCase = false, multiline = false, dotAll = false }: RegexFlags) {
	const { RE2JS } = createRequire(import.meta.url)("re2js") as typeof import("re2js");
	const flags =
		(ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.MULTILINE : 0) | (dotAll ? RE2JS.DOTALL : 0);
	return RE2JS.compile(pattern, flags);
}

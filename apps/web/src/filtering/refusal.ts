import { ApiError } from "@spanward/client";
import type { FilterProblem } from "@spanward/filter-language";

const MESSAGE = /^Invalid filter: (.*) \(at character (\d+)\)(?:; did you mean (.*)\?)?$/s;

/** The server's error about a filter, in the form of the parser's errors. */
export function refusalOf(error: Error | null, filter = ""): FilterProblem | undefined {
	if (!(error instanceof ApiError) || error.code !== "invalid_filter") return undefined;
	const [, message = error.message, character = "1", suggestions] = MESSAGE.exec(error.message) ?? [];
	const position = Number(character) - 1;
	const length = /^[\w.]+|/.exec(filter.slice(position))?.[0].length || 1;
	return { message, position, length, suggestions: suggestions?.split(", ") ?? [] };
}

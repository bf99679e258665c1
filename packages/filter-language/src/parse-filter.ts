import type { Condition, FilterTarget } from "./condition.ts";
import { FilterError, type FilterProblem } from "./filter-error.ts";

export interface ParsedFilter {
	/** Absent for a blank input and for words. */
	readonly condition?: Condition;
	/** Words to search for, when the input is no expression. */
	readonly text?: string;
	/** What is allowed but probably not meant, such as an attribute whose name is nearly that of a field. */
	readonly hints: readonly FilterProblem[];
}

/**
 * @throws FilterError
 */
export function parseFilter(_target: FilterTarget, input: string): ParsedFilter {
	if (input.trim() === "") return { hints: [] };
	throw new FilterError({
		message: "filter expressions are not supported yet",
		position: 0,
		length: input.length,
		suggestions: [],
	});
}

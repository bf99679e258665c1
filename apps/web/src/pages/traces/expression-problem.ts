import { FilterError, parseFilter } from "@spanward/filter-language";
import { texts } from "../../texts/en.ts";
import type { View } from "./columns.tsx";

/** What is wrong with an expression, where, and what may have been meant; undefined when it can be asked for. */
export function expressionProblem(view: View, expression: string): string | undefined {
	try {
		parseFilter(view === "spans" ? "span" : "trace", expression);
		return undefined;
	} catch (error) {
		if (!(error instanceof FilterError)) throw error;
		return texts.filter.expressionProblem(error.message, error.position + 1, error.suggestions.slice(0, 3));
	}
}

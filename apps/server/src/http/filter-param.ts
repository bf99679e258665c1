import { type Condition, FilterError, type FilterTarget, parseFilter as parse } from "@spanward/filter-language";
import { z } from "zod";
import { UserError } from "#base/errors.ts";

export const filterParam = z
	.string()
	.max(10_000)
	.describe(
		"A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text.",
	);

/** What a filter selects by: a condition, or words to search for; neither for a blank one. */
export interface ParsedFilterParam {
	readonly condition?: Condition;
	readonly text?: string;
}

/**
 * Reads a filter expression of a request.
 * @throws UserError 400, or what `refusal` says, with the position and suggestions
 */
export function parseFilter(
	target: FilterTarget,
	input: string | undefined,
	refusal: { readonly status: number; readonly prefix: string } = { status: 400, prefix: "Invalid filter: " },
): ParsedFilterParam {
	try {
		const { condition, text } = parse(target, input ?? "");
		return { ...(condition === undefined ? {} : { condition }), ...(text === undefined ? {} : { text }) };
	} catch (error) {
		if (!(error instanceof FilterError)) throw error;
		const { message, position, length, suggestions } = error;
		const offer = suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(", ")}?`;
		throw new UserError(
			refusal.status,
			"invalid_filter",
			`${refusal.prefix}${message} (at character ${position + 1})${offer}`,
			{ details: { position, length, suggestions }, cause: error },
		);
	}
}

/** The words of several searches, all of which have to occur. */
export function joinTexts(...texts: readonly (string | undefined)[]): string | undefined {
	const words = texts.filter((text) => text !== undefined && text.trim() !== "");
	return words.length === 0 ? undefined : words.join(" ");
}

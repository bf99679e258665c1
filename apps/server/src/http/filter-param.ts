import {
	type Condition,
	FilterError,
	type FilterProblem,
	type FilterTarget,
	parseFilter as parse,
} from "@spanward/filter-language";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { pageSchema } from "./cursors.ts";

export const filterParam = z
	.string()
	.max(10_000)
	.describe(
		"A filter expression such as `latency_ms > 1000 and 'timeout' in output.value`; plain words search the text.",
	);

/** Of each filter. */
export const MAX_WARNINGS = 10;

/** What a filter selects by: a condition, or words to search for; neither for a blank one. */
export interface ParsedFilterParam {
	readonly condition?: Condition;
	readonly text?: string;
	/** What is allowed but probably not meant. */
	readonly warnings: readonly FilterProblem[];
}

const FilterWarning = z
	.object({
		message: z.string(),
		position: z.int().describe("Position of the first character, from 0."),
		length: z.int(),
		suggestions: z.array(z.string()).describe("What to write there instead."),
	})
	.meta({ id: "FilterWarning" });

/** The schema of a page of a list that takes a filter. */
export function filteredPageSchema<T extends z.ZodType>(item: T) {
	return pageSchema(item).extend({
		warnings: z
			.array(FilterWarning)
			.optional()
			.describe(
				"Things in the filter that are probably not meant, such as a misspelt field; absent if there are none.",
			),
	});
}

/** The member of a page that {@link filteredPageSchema} describes. */
export function warningsOf({ warnings }: Pick<ParsedFilterParam, "warnings">) {
	return warnings.length === 0
		? {}
		: { warnings: warnings.map((each) => ({ ...each, suggestions: [...each.suggestions] })) };
}

/** For streamed answers: the warnings as JSON in a header, with characters beyond printable ASCII escaped. */
export function sendWarnings(reply: FastifyReply, warnings: readonly FilterProblem[]): void {
	if (warnings.length === 0) return;
	const text = JSON.stringify(warnings).replace(
		/[^\x20-\x7e]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	void reply.header("x-spanward-filter-warnings", text);
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
		const { condition, text, hints } = parse(target, input ?? "");
		return {
			...(condition === undefined ? {} : { condition }),
			...(text === undefined ? {} : { text }),
			warnings: hints.slice(0, MAX_WARNINGS),
		};
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

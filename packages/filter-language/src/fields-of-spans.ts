import type { FilterTarget } from "./condition.ts";
import { FilterError, type UnknownField } from "./filter-error.ts";
import { likelyFields } from "./probably-meant.ts";
import { ROW_SCHEMAS } from "./schemas.ts";
import type { Place, Syntax } from "./syntax.ts";

/**
 * The error for a name that traces or sessions do not have, but spans have, or a similar one. It suggests the
 * comparison inside `any(…)`, or the span that the expression already refers to. Returns `error` when spans have no
 * such field.
 */
export function pointToSpans(error: UnknownField, target: FilterTarget, syntax: Syntax, input: string): FilterError {
	const { owner, written, variables } = error.field;
	if (target === "span" || owner !== "" || error.suggestions.length > 0) return error;
	const meant = likelyFields(written);
	if (meant.length === 0) return error;
	const { fields, aliases } = ROW_SCHEMAS[target];
	const { message, position, length } = error;
	const own = meant.filter((field) => Object.hasOwn(fields, field) || Object.hasOwn(aliases, field));
	if (own.length > 0) return new FilterError({ message, position, length, suggestions: own });
	const ofSpans = `${message}; spans have ${meant.join(", ")}`;
	const span = variables.findLast(({ kind }) => kind === "span");
	if (span !== undefined)
		return new FilterError({
			message: ofSpans,
			position,
			length,
			suggestions: meant.map((field) => `${span.name}.${field}`),
		});
	const comparison = variables.length === 0 ? comparisonAround(syntax, error) : undefined;
	if (comparison === undefined) return new FilterError({ message: ofSpans, position, length, suggestions: [] });
	const before = input.slice(comparison.position, position);
	const after = input.slice(position + length, comparison.position + comparison.length);
	return new FilterError({
		message: ofSpans,
		position: comparison.position,
		length: comparison.length,
		suggestions: meant.map((field) => `any(${before}x.${field}${after} for x in spans)`),
	});
}

/** The comparison around the place; undefined when there is none, or one inside a collection. */
function comparisonAround(syntax: Syntax, place: Place): Place | undefined {
	const isAround = syntax.position <= place.position && place.position < syntax.position + syntax.length;
	if (!isAround) return undefined;
	switch (syntax.type) {
		case "comparison": {
			// Without brackets around it.
			const { position } = syntax.first;
			const last = syntax.rest.at(-1)?.operand ?? syntax.first;
			return { position, length: last.position + last.length - position };
		}
		case "and":
		case "or":
			for (const operand of syntax.operands) {
				const found = comparisonAround(operand, place);
				if (found !== undefined) return found;
			}
			return undefined;
		case "not":
			return comparisonAround(syntax.operand, place);
		default:
			return undefined;
	}
}

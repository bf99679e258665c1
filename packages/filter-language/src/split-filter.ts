import { FilterError } from "./filter-error.ts";
import { parseSyntax } from "./parse-syntax.ts";
import type { Syntax } from "./syntax.ts";

/**
 * The texts of the conditions that have to hold together: those that `and` joins at the top level of an expression. Joined
 * by `and` again, with others or without some, they are an expression.
 * @throws FilterError
 */
export function splitFilter(input: string): readonly string[] {
	return parts(parseSyntax(input)).map((syntax) => {
		const text = input.slice(syntax.position, syntax.position + syntax.length);
		return syntax.type === "or" && !isBracketed(text) ? `(${text})` : text;
	});
}

function parts(syntax: Syntax): Syntax[] {
	return syntax.type === "and" ? syntax.operands.flatMap(parts) : [syntax];
}

/** `(a or b)`, but not `(a) or (b)`. */
function isBracketed(text: string): boolean {
	if (!text.startsWith("(") || !text.endsWith(")")) return false;
	try {
		parseSyntax(text.slice(1, -1));
		return true;
	} catch (error) {
		if (error instanceof FilterError) return false;
		throw error;
	}
}

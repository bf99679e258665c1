import { check } from "./check.ts";
import type { Condition, FilterTarget } from "./condition.ts";
import { pointToSpans } from "./fields-of-spans.ts";
import { FilterError, type FilterProblem, UnknownField } from "./filter-error.ts";
import { parseSyntax } from "./parse-syntax.ts";
import { ROW_SCHEMAS } from "./schemas.ts";
import type { Syntax } from "./syntax.ts";

export interface ParsedFilter {
	/** Absent for blank input and for words. */
	readonly condition?: Condition;
	/** Words to search for, when the input is no expression. */
	readonly text?: string;
	/** Warnings about valid but suspicious parts, such as an attribute whose name is close to that of a field. */
	readonly hints: readonly FilterProblem[];
}

/**
 * Parses a filter. The input is a condition, or an error if it looks like a condition, or else words to search for:
 * `order timed out`, `"timeout"`, `not found`.
 * @throws FilterError
 */
export function parseFilter(target: FilterTarget, input: string): ParsedFilter {
	if (input.trim() === "") return { hints: [] };
	const nul = input.indexOf("\0");
	if (nul >= 0)
		throw new FilterError({ message: "a filter has no NUL characters", position: nul, length: 1, suggestions: [] });
	if (isPlainText(target, input)) return { text: withoutQuotes(input.trim()), hints: [] };
	const hints: FilterProblem[] = [];
	const syntax = parseSyntax(input);
	try {
		return { condition: check(target, syntax, hints), hints };
	} catch (error) {
		throw error instanceof UnknownField ? pointToSpans(error, target, syntax, input) : error;
	}
}

/**
 * Whether the input is words to search for: outside quotes it has no comparison, no round or square bracket, no `is
 * None` or similar and no `in` after a quoted text, and it is no condition on a field.
 */
export function isPlainText(target: FilterTarget, input: string): boolean {
	if (looksLikeExpression(input)) return false;
	try {
		const syntax = parseSyntax(input);
		check(target, syntax, []);
		return !mentionsField(target, syntax);
	} catch (error) {
		if (error instanceof FilterError) return true;
		throw error;
	}
}

const QUOTED = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs;
const EVIDENCE = /[=<>[\]()]|""\s*(?:not\s+)?in\b|\bis\s+(?:not\s+)?(?:""|(?:None|True|False)\b)/;

function looksLikeExpression(input: string): boolean {
	return EVIDENCE.test(input.replace(QUOTED, '""'));
}

/** `status in worker` is three words; `'a' in name` is not. */
function mentionsField(target: FilterTarget, syntax: Syntax): boolean {
	switch (syntax.type) {
		case "path": {
			const [first] = syntax.parts;
			return first !== undefined && syntax.parts.length === 1 && Object.hasOwn(ROW_SCHEMAS[target].fields, first.text);
		}
		case "and":
		case "or":
			return syntax.operands.some((operand) => mentionsField(target, operand));
		case "not":
			return mentionsField(target, syntax.operand);
		case "comparison":
			return [syntax.first, ...syntax.rest.map(({ operand }) => operand)].some((part) => mentionsField(target, part));
		default:
			return false;
	}
}

function withoutQuotes(text: string): string {
	const [only] = text.match(QUOTED) ?? [];
	return only === text ? text.slice(1, -1) : text;
}

import { suggest } from "@spanward/filter-language";
import { z } from "zod";

/** Longest text of one query value: names, ids, filters. */
export const MAX_PARAM_LENGTH = 4_096;

/** How many values a repeatable parameter may have. */
const MAX_REPEATED = 1_000;

export const textParam = z.string().max(MAX_PARAM_LENGTH);

/** A repeatable parameter: `?name=a&name=b`. */
export function repeated<T extends z.ZodType>(item: T) {
	return z
		.preprocess(
			(value) => (value === undefined || Array.isArray(value) ? value : [value]),
			z.array(item).max(MAX_REPEATED),
		)
		.optional();
}

const BOOLEANS = new Map<unknown, boolean>([
	...["true", "1", "yes", "on", "t", "y"].map((word) => [word, true] as const),
	...["false", "0", "no", "off", "f", "n"].map((word) => [word, false] as const),
]);

/** `true`, `1`, `yes`, `on` and their opposites, in any case. */
export const booleanParam = z.preprocess(
	(value) => (typeof value === "string" ? (BOOLEANS.get(value.toLowerCase()) ?? value) : value),
	z.boolean(),
);

const WHOLE = /^\s*[+-]?\d{1,15}\s*$/;
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/** A number as text; an error quotes what does not look like one as it was sent. */
function numberParam<T extends z.ZodType>(pattern: RegExp, type: "int" | "float", range: T) {
	const word = type === "int" ? "integer" : "number";
	const article = type === "int" ? "an" : "a";
	return z.preprocess((value, context) => {
		if (typeof value !== "string") return value;
		if (pattern.test(value)) return Number(value);
		context.addIssue({
			code: "custom",
			params: { type: `${type}_parsing` },
			message: `Input should be a valid ${word}, unable to parse string as ${article} ${word}`,
		});
		return z.NEVER;
	}, range);
}

/** A whole number above 0. */
export function countParam(max?: number) {
	const positive = z.int().gt(0);
	return numberParam(WHOLE, "int", max === undefined ? positive : positive.lte(max));
}

/** How many items a page has. */
export function limitParam(fallback: number, max = 1_000) {
	// A default of a parsed value is not written into the OpenAPI document.
	return countParam(max).default(fallback).describe(`${fallback} when absent.`);
}

export const orderParam = z.enum(["asc", "desc"]);
export const cursorParam = z.string().max(1_024).describe("`next_cursor` of the page before.").optional();
/** Days, with or without a fraction. */
export const daysParam = numberParam(DECIMAL, "float", z.number().gt(0).lte(36_500));
/** Milliseconds, 0 or more. */
export const latencyParam = numberParam(DECIMAL, "float", z.number().gte(0));
/** Free text: every word has to occur. Control characters separate words; no search index takes a NUL. */
export const searchParam = z
	.string()
	.max(500)
	.transform((text) => text.replace(/\p{Cc}/gu, " "));

/** What a list is sorted by: one of its fields, or `score.` and the name of annotations. */
export function sortParam<const T extends readonly [string, ...string[]]>(fields: T) {
	const known = fields.map((field) => `'${field}'`).join(", ");
	return z.union([z.enum(fields), z.templateLiteral(["score.", z.string().min(1).max(1_000)])], {
		error: `Input should be ${known} or 'score.' and the name of annotations`,
	});
}

/**
 * A query that has only these parameters. A misspelt one that is ignored would make an answer about something else, so
 * that it is refused, with the one that was probably meant.
 */
export function onlyParams<Shape extends z.ZodRawShape>(shape: Shape) {
	const known = Object.keys(shape);
	return z.looseObject(shape).superRefine((query, context) => {
		for (const name of Object.keys(query)) {
			if (known.includes(name)) continue;
			const [meant] = suggest(name, known);
			const message =
				meant === undefined
					? `Extra inputs are not permitted; this address has ${known.join(", ")}`
					: `Extra inputs are not permitted; \`${meant}\` is probably meant`;
			context.addIssue({ code: "custom", params: { type: "extra_forbidden" }, path: [name], message });
		}
	});
}

import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { type Issue, ValidationError } from "#base/errors.ts";

const PARTS: Readonly<Record<string, string>> = {
	body: "body",
	querystring: "query",
	params: "path",
	headers: "header",
};

/** Characters of an unknown key that an error names. */
const MAX_KEY = 200;

/** Members that are secrets, have them, or may have one by mistake: a password in an address. */
const OF_SECRETS = /password|secret|token|key|credential|header|base_url/i;

/** Validates one part of a request with its zod schema; a failure is a {@link ValidationError}. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
	({ schema, httpPart }) =>
	(data: unknown) =>
		parsePart(schema, PARTS[httpPart ?? "body"] ?? "body", data);

/** The parsed part of a request, or what does not validate in it. */
export function parsePart<T>(
	schema: z.ZodType<T>,
	part: string,
	data: unknown,
): { value: T; error?: never } | { error: ValidationError } {
	const result = schema.safeParse(data, { reportInput: true });
	if (result.success) return { value: result.data };
	return { error: new ValidationError(result.error.issues.flatMap((issue) => toIssues(part, issue, data))) };
}

/** A zod issue as those of pydantic, which released clients read. */
function toIssues(part: string, issue: z.core.$ZodIssue, data: unknown): Issue[] {
	if (issue.code !== "unrecognized_keys") return [toIssue(part, issue, data)];
	const { type, msg } = describe(part, issue);
	const path = issue.path.filter((step) => typeof step !== "symbol");
	return issue.keys.map((key) => ({ type, loc: [part, ...path, key.slice(0, MAX_KEY)], msg }));
}

function toIssue(part: string, issue: z.core.$ZodIssue, data: unknown): Issue {
	const path = issue.path.filter((step) => typeof step !== "symbol");
	const absent = data === null || (issue.input === undefined && valueAt(data, path) === undefined);
	const { type, msg } =
		absent && issue.code !== "custom" ? { type: "missing", msg: "Field required" } : describe(part, issue);
	return {
		type,
		loc: [part, ...path],
		msg,
		...(isEchoable(part, issue.input, path) ? { input: issue.input } : {}),
	};
}

function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
	let value = data;
	for (const step of path) {
		if (typeof value !== "object" || value === null) return undefined;
		value = Reflect.get(value, step);
	}
	return value;
}

/**
 * Whether an error may quote a value: short scalars only, and nothing that may be a secret or a part of one. What
 * stands for a whole body may be anything.
 */
function isEchoable(part: string, input: unknown, path: readonly (string | number)[]): boolean {
	if ((part === "body" && path.length === 0) || path.some((step) => OF_SECRETS.test(String(step)))) return false;
	if (typeof input === "string") return input.length <= 200;
	return typeof input === "number" || typeof input === "boolean";
}

function describe(part: string, issue: z.core.$ZodIssue): { type: string; msg: string } {
	switch (issue.code) {
		case "invalid_type":
			return describeType(part, issue);
		case "too_small":
			return describeBound(issue.origin, issue.minimum, issue.inclusive ?? true, "small");
		case "too_big":
			return describeBound(issue.origin, issue.maximum, issue.inclusive ?? true, "big");
		case "invalid_value":
			return { type: "literal_error", msg: `Input should be ${alternatives(issue.values)}` };
		case "invalid_format":
			return { type: "string_pattern_mismatch", msg: issue.message };
		case "unrecognized_keys":
			return { type: "extra_forbidden", msg: "Extra inputs are not permitted" };
		case "invalid_union":
			return issue.errors.length > 0 && issue.errors.flat().every(isOfLiteral)
				? { type: "literal_error", msg: issue.message }
				: { type: "value_error", msg: `Value error, ${issue.message}` };
		case "custom": {
			const type = issue.params?.["type"];
			return typeof type === "string"
				? { type, msg: issue.message }
				: { type: "value_error", msg: `Value error, ${issue.message}` };
		}
		default:
			return { type: "value_error", msg: `Value error, ${issue.message}` };
	}
}

/** Whether a value is none of some literals, or not of the form of a template literal. */
function isOfLiteral(issue: z.core.$ZodIssue): boolean {
	return issue.code === "invalid_value" || (issue.code === "invalid_format" && issue.format === "template_literal");
}

const TYPES: Readonly<Record<string, readonly [name: string, text: string]>> = {
	string: ["string", "a valid string"],
	number: ["float", "a valid number"],
	int: ["int", "a valid integer"],
	boolean: ["bool", "a valid boolean"],
	array: ["list", "a valid list"],
	object: ["dict", "a valid dictionary"],
	record: ["dict", "a valid dictionary"],
};

function describeType(part: string, issue: z.core.$ZodIssueInvalidType): { type: string; msg: string } {
	const [name, text] = TYPES[issue.expected] ?? [issue.expected, `a valid ${issue.expected}`];
	const parsed = part !== "body" && ["float", "int", "bool"].includes(name);
	return {
		type: `${name}_${parsed ? "parsing" : "type"}`,
		msg: `Input should be ${text}${parsed ? ", unable to parse string" : ""}`,
	};
}

function describeBound(
	origin: string,
	bound: number | bigint,
	inclusive: boolean,
	side: "small" | "big",
): { type: string; msg: string } {
	const few = side === "small" ? "short" : "long";
	const least = side === "small" ? "at least" : "at most";
	if (origin === "string") {
		return {
			type: `string_too_${few}`,
			msg: `String should have ${least} ${bound} character${bound === 1 ? "" : "s"}`,
		};
	}
	if (origin === "array" || origin === "set") {
		return { type: `too_${few}`, msg: `List should have ${least} ${bound} item${bound === 1 ? "" : "s"}` };
	}
	const word = side === "small" ? "greater_than" : "less_than";
	return {
		type: inclusive ? `${word}_equal` : word,
		msg: `Input should be ${word.replace("_", " ")} ${inclusive ? "or equal to " : ""}${bound}`,
	};
}

function alternatives(values: readonly unknown[]): string {
	const texts = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
	const last = texts.pop() ?? "";
	return texts.length === 0 ? last : `${texts.join(", ")} or ${last}`;
}

import { z } from "zod";
import type { BuiltIn } from "./built-in.ts";
import { costBelow, latencyBelow, noError, tokensBelow } from "./figures.ts";
import { jsonDistance, jsonEquality, validJson } from "./json.ts";
import { jsonSchema } from "./json-schema.ts";
import { numberWithin } from "./numbers.ts";
import { regex } from "./regex.ts";
import { contains, exactMatch, length, levenshtein, oneOf } from "./texts.ts";
import { toolCallsMatch } from "./tool-calls.ts";

/** All built-in evaluators, in the order in which lists show them. */
export const BUILT_INS: readonly BuiltIn[] = [
	exactMatch,
	contains,
	regex,
	oneOf,
	levenshtein,
	numberWithin,
	length,
	validJson,
	jsonSchema,
	jsonEquality,
	jsonDistance,
	toolCallsMatch,
	latencyBelow,
	costBelow,
	tokensBelow,
	noError,
];

const BY_KEY: ReadonlyMap<string, BuiltIn> = new Map(BUILT_INS.map((each) => [each.key, each]));

export function findBuiltIn(key: string): BuiltIn | undefined {
	return BY_KEY.get(key);
}

/** The JSON Schema of its parameters, for forms and programs. */
export function parametersSchema({ parameters }: BuiltIn): Record<string, unknown> {
	const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input", unrepresentable: "any" });
	return schema;
}

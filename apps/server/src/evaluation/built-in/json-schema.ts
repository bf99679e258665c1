import { createRequire } from "node:module";
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { z } from "zod";
import { refuseWith } from "#base/refuse-with.ts";
import { jsonObject, toJsonText } from "#http/json-values.ts";
import { builtIn, passOrFail, UnfitInput } from "./built-in.ts";
import { canonicalJson } from "./compare-json.ts";
import { asJson, OUTPUT, OUTPUT_TEXT } from "./input-values.ts";
import { linearRegex } from "./linear-regex.ts";

const MAX_SCHEMA = 65_536;
/** How often a part of a schema may look at a part of the data: schemas that refer to themselves twice could need 2^depth. */
const MAX_STEPS = 1_000_000;
const STEP = "spanward-step";
const ONE_OF_TEXTS = "spanward-enum";

type JsonSchema = Readonly<Record<string, unknown>>;

const schemaParameter = jsonObject.superRefine(refuseWith(schemaProblem));

export const jsonSchema = builtIn({
	key: "json_schema",
	title: "JSON Schema",
	description:
		"The output is JSON that fits a JSON Schema (2020-12). Patterns are RE2's, `format` is not looked at, and `$ref` leads only within the schema.",
	parameters: z.strictObject({ schema: schemaParameter }),
	inputs: [OUTPUT],
	mapping: OUTPUT_TEXT,
	output: passOrFail("json_schema"),
	prepare: ({ schema }) => {
		const check = checkerOf(schema);
		return (inputs) => {
			const read = asJson(inputs["output"], "output");
			if ("problem" in read) return { passed: false, explanation: `The output is no JSON: ${read.problem}.` };
			// Numbers as JavaScript has them: the library knows no others.
			const problem = check(JSON.parse(toJsonText(read.json)));
			return {
				passed: problem === undefined,
				explanation:
					problem === undefined ? "The output fits the schema." : `The output does not fit the schema: ${problem}.`,
			};
		};
	},
});

/** What is wrong with a schema; undefined when it is right. */
export function schemaProblem(schema: JsonSchema): string | undefined {
	const { length } = JSON.stringify(schema);
	if (length > MAX_SCHEMA) return `its JSON has ${length} characters, ${MAX_SCHEMA} at most`;
	try {
		const whole = loadAjv({ meta: true });
		if (whole.validateSchema(schema) !== true) return `it is no JSON Schema: ${firstError(whole)}`;
		checkerOf(schema);
		return undefined;
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		return error.message.slice(0, 500);
	}
}

/** @throws Error for what is no schema, refers to another document, or has a pattern that RE2 does not take */
export function checkerOf(schema: JsonSchema): (value: unknown) => string | undefined {
	const faultsOf = faultFinder(schema);
	return (value) => {
		const [fault] = faultsOf(value);
		return fault === undefined ? undefined : sentenceOf(fault);
	};
}

/** Where a value does not fit a schema. */
export interface SchemaFault {
	readonly path: readonly string[];
	readonly message: string;
}

/**
 * As {@link checkerOf}, with all places where a value does not fit, up to twenty.
 * @throws Error as that does
 */
export function allFaultsOf(schema: JsonSchema): (value: unknown) => SchemaFault[] {
	const first = faultFinder(schema);
	const all = faultFinder(schema, { isAll: true, steps: MAX_STEPS_FOR_ALL });
	return (value) => {
		const found = first(value);
		if (found.length === 0) return [];
		try {
			return all(value).slice(0, MAX_FAULTS).map(toFault);
		} catch (error) {
			if (!(error instanceof UnfitInput)) throw error;
			return found.map(toFault);
		}
	};
}

const MAX_FAULTS = 20;
/** Each step may find a fault, which takes memory. */
const MAX_STEPS_FOR_ALL = 20_000;

function toFault(error: ErrorObject): SchemaFault {
	const path = error.instancePath.split("/").slice(1);
	return {
		path: path.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")),
		message: messageOf(error),
	};
}

function faultFinder(
	schema: JsonSchema,
	{ isAll, steps }: { readonly isAll: boolean; readonly steps: number } = { isAll: false, steps: MAX_STEPS },
): (value: unknown) => readonly ErrorObject[] {
	let stepsLeft = 0;
	const ajv = loadAjv({ meta: false, isAll });
	ajv.addKeyword({
		keyword: STEP,
		// Before everything that leads further: what fails counts, too.
		before: "$ref",
		schema: false,
		errors: false,
		validate: () => {
			stepsLeft -= 1;
			if (stepsLeft < 0) throw new UnfitInput("too_long", `the schema takes more than ${steps} steps on this output`);
			return true;
		},
	});
	ajv.addKeyword({
		keyword: ONE_OF_TEXTS,
		schemaType: "array",
		error: { message: "must be equal to one of the allowed values" },
		compile: (texts: readonly string[]) => {
			const allowed = new Set(texts);
			return (value: unknown) => allowed.has(canonicalJson(value));
		},
	});
	// The library's own compares each item with each.
	ajv.removeKeyword("uniqueItems");
	ajv.addKeyword({
		keyword: "uniqueItems",
		type: "array",
		schemaType: "boolean",
		error: { message: "must not have the same item twice" },
		compile: (isWanted: boolean) => (items: readonly unknown[]) =>
			!isWanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
	});
	const validate: ValidateFunction = ajv.compile(bounded(schema));
	return (value) => {
		stepsLeft = steps;
		try {
			return validate(value) ? [] : (validate.errors ?? []);
		} catch (error) {
			if (!(error instanceof RangeError)) throw error;
			throw new UnfitInput("too_long", "the schema refers to itself without end, or the output nests too deeply");
		}
	};
}

function loadAjv({ meta, isAll = false }: { readonly meta: boolean; readonly isAll?: boolean }): Ajv2020 {
	// Loaded when it is first needed.
	const require = createRequire(import.meta.url);
	const { Ajv2020: Ajv } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
	const compilePattern = (pattern: string) => {
		const regex = linearRegex(pattern);
		return { test: (text: string) => regex.find(text) !== undefined, toString: () => pattern };
	};
	return new Ajv({
		meta,
		allErrors: isAll,
		validateSchema: meta,
		strict: false,
		validateFormats: false,
		inlineRefs: false,
		logger: false,
		code: { regExp: Object.assign(compilePattern, { code: "linearRegex" }) },
	});
}

function firstError({ errors }: Pick<ValidateFunction, "errors">): string {
	const [error] = errors ?? [];
	return error === undefined ? "it does not fit" : sentenceOf(error);
}

function sentenceOf(error: ErrorObject): string {
	const place = error.instancePath === "" ? "it" : error.instancePath;
	return `${place} ${messageOf(error)}`.slice(0, 500).toWellFormed();
}

function messageOf({ message, params }: ErrorObject): string {
	const property: unknown = Reflect.get(params, "additionalProperty");
	const named = typeof property === "string" ? `: ${JSON.stringify(property)}` : "";
	return `${message ?? "is not right"}${named}`.slice(0, 500).toWellFormed();
}

const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Say nothing about what fits; what is in them could be reached by a `$ref`. */
const NOTES = new Set(["default", "examples", "$comment", "title", "description"]);

/** The schema with a step counted in each of its parts. */
function bounded(schema: unknown): JsonSchema {
	return isObject(schema) ? boundedObject(schema) : { [STEP]: true };
}

function boundedObject(schema: JsonSchema): JsonSchema {
	const result: Record<string, unknown> = { [STEP]: true };
	const allowed = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
	if (Array.isArray(allowed)) result[ONE_OF_TEXTS] = allowed.map((value) => canonicalJson(value));
	for (const [key, value] of Object.entries(schema)) {
		if (NOTES.has(key) || key === "const" || key === "enum" || key === STEP || key === ONE_OF_TEXTS) continue;
		define(result, key, MAPS.has(key) && isObject(value) ? mapOf(value) : boundedPart(value));
	}
	return result;
}

function mapOf(schemas: JsonSchema): JsonSchema {
	const result: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(schemas)) define(result, name, boundedPart(schema));
	return result;
}

function boundedPart(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(boundedPart);
	return isObject(value) ? boundedObject(value) : value;
}

/** As an assignment, which would set the prototype where the key is `__proto__`. */
function define(object: object, key: string, value: unknown): void {
	Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function isObject(value: unknown): value is JsonSchema {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

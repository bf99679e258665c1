import { jsonExcess } from "@spanward/semconv";
import { allFaultsOf, type SchemaFault, schemaProblem } from "#evaluation/built-in/json-schema.ts";
import { BODY_LIMITS } from "#http/body-size.ts";
import type { ModelAnswer, ModelRequest } from "#models/model-request.ts";
import type { WireEnd } from "./schemas.ts";

/** Longer answers are not parsed, as that would hold others up. */
const MAX_CHECKED = 1_000_000;

type Checked = Pick<WireEnd["output"], "parsed" | "schema_errors"> & { readonly warning?: string };

/** Checks answers against a response format; the schema is compiled with the first one. */
export class AnswerChecker {
	readonly #schema: object | undefined;
	readonly #isWanted: boolean;
	#compiled: ((value: unknown) => SchemaFault[]) | string | undefined;

	constructor(format: ModelRequest["response_format"]) {
		this.#isWanted = format !== undefined;
		this.#schema = format?.json_schema.schema;
	}

	check({ text, tool_calls: calls }: Pick<ModelAnswer, "text" | "tool_calls">): Checked {
		if (!this.#isWanted || (text === "" && calls.length > 0)) return {};
		if (text.length > MAX_CHECKED || jsonExcess(text, BODY_LIMITS) !== undefined) {
			return { warning: "The answer is too long to be checked against the response format." };
		}
		const read = parse(text);
		if ("fault" in read) return { schema_errors: [{ path: [], message: `it is no JSON: ${read.fault}` }] };
		this.#compiled ??= compile(this.#schema);
		if (typeof this.#compiled === "string") return { parsed: read.value, warning: this.#compiled };
		const faults = this.#compiled(read.value);
		return { parsed: read.value, schema_errors: faults.map(({ path, message }) => ({ path: [...path], message })) };
	}
}

/** @returns a sentence where the schema cannot be used here; the provider may understand it all the same */
function compile(schema: object | undefined): ((value: unknown) => SchemaFault[]) | string {
	if (schema === undefined) return () => [];
	// Exact integers as numbers: the library knows no others.
	const plain: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(schema));
	const problem = schemaProblem(plain);
	return problem === undefined
		? allFaultsOf(plain)
		: `The answer was not checked against the response format: ${problem}.`;
}

function parse(text: string): { readonly value: unknown } | { readonly fault: string } {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		if (error instanceof SyntaxError) return { fault: error.message.slice(0, 200) };
		throw error;
	}
}

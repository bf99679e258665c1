import { attributesBelow, toObject } from "../attribute-values.ts";
import { decoded, field, isList, isObject, type PlainObject } from "../json.ts";
import type { Attributes, Plain, RawValue } from "../model.ts";

/** Attributes that hold the parameters of a request as JSON, all of them. */
const WHOLE_PARAMETERS = ["llm.invocation_parameters", "langfuse.observation.model.parameters"] as const;
/** Attributes that hold a request as JSON. */
const REQUESTS = ["gcp.vertex.agent.llm_request", "request_data", "mlflow.spanInputs"] as const;
/** Prefixes of attributes with a parameter each. */
const PREFIXES = [
	"gen_ai.request",
	"gen_ai.openai.request",
	"openai.request",
	"ai.settings",
	"llm.request",
	"llm.chat",
	"llm",
] as const;
/** Where the providers put parameters inside of a request. */
const CONFIGS = [
	"config",
	"generation_config",
	"generationConfig",
	"generate_content_config",
	"inferenceConfig",
] as const;

/** What was recorded of a request, as objects that are looked at in this order. */
export interface RequestObjects {
	readonly objects: readonly PlainObject[];
	/** Those of them that have nothing but a request and its parameters. */
	readonly ofRequest: readonly PlainObject[];
	/** Parameters that are absent in them were not sent. */
	readonly isWhole: boolean;
}

export function requestObjects(
	attributes: Attributes,
	input: RawValue | undefined,
	parameters: Plain | undefined,
): RequestObjects {
	const whole = [
		...WHOLE_PARAMETERS.map((key) => decoded(attributes.get(key))),
		...REQUESTS.map((key) => decoded(attributes.get(key))).filter(isRequest),
		...[decoded(input?.value)].filter(isRequest),
	].filter(isObject);
	const ofRequest = [...whole, decoded(parameters)]
		.filter(isObject)
		.flatMap((object) => [object, ...configsIn(object)]);
	const single = [
		// pydantic-ai
		decoded(attributes.get("model_request_parameters")),
		...PREFIXES.map((prefix) => below(attributes, prefix)),
	].filter(isObject);
	return {
		objects: [...ofRequest, ...single],
		ofRequest,
		isWhole: whole.some((object) => Object.keys(object).length > 0),
	};
}

/** Whether the value is a request of some provider, rather than only its messages. */
function isRequest(value: Plain | undefined): value is PlainObject {
	if (!isObject(value)) return false;
	const hasMessages = ["messages", "contents", "input", "prompt"].some((key) => field(value, key) !== undefined);
	return hasMessages && ["model", "modelId", "model_id"].some((key) => typeof field(value, key) === "string");
}

function configsIn(object: PlainObject): PlainObject[] {
	return CONFIGS.map((key) => decoded(field(object, key))).filter(isObject);
}

/** Attributes of one level below a prefix. */
function below(attributes: Attributes, prefix: string): PlainObject | undefined {
	const found = [...(attributesBelow(attributes, prefix) ?? [])].filter(([key]) => !key.includes("."));
	return found.length > 0 ? toObject(found) : undefined;
}

/** The first value under one of the names that is neither absent nor null. */
export function lookUp(objects: readonly PlainObject[], names: readonly string[]): Plain | undefined {
	for (const object of objects) {
		for (const name of names) {
			const value = field(object, name);
			if (value !== undefined && value !== null && value !== "") return value;
		}
	}
	return undefined;
}

/** As {@link lookUp}, an object, possibly as JSON text. */
export function lookUpObject(objects: readonly PlainObject[], names: readonly string[]): PlainObject | undefined {
	const value = decoded(lookUp(objects, names));
	return isObject(value) ? value : undefined;
}

export function firstObjectIn(object: PlainObject, names: readonly string[]): PlainObject | undefined {
	for (const name of names) {
		const value = decoded(field(object, name));
		if (isObject(value)) return value;
	}
	return undefined;
}

export function textIn(object: PlainObject, name: string): string | undefined {
	const value = field(object, name);
	return typeof value === "string" && value !== "" ? value : undefined;
}

export function isListOfTexts(value: Plain | undefined): value is readonly string[] {
	return isList(value) && value.every((item) => typeof item === "string");
}

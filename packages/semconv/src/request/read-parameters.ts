import { countValue } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { decoded, field, isList, isObject, type PlainObject } from "../json.ts";
import type { Plain } from "../model.ts";
import { lookUp, lookUpObject, type RequestObjects } from "./request-objects.ts";
import type { SentParameters } from "./sent-request.ts";

type Known = Exclude<keyof SentParameters, "others" | "unknown">;

/** Names under which libraries and providers record a parameter. */
const NAMES = {
	temperature: ["temperature"],
	top_p: ["top_p", "topP", "p"],
	top_k: ["top_k", "topK", "k"],
	max_tokens: [
		"max_tokens",
		"maxTokens",
		"max_output_tokens",
		"maxOutputTokens",
		"max_tokens_to_sample",
		"num_predict",
	],
	max_completion_tokens: ["max_completion_tokens", "maxCompletionTokens"],
	stop: ["stop", "stop_sequences", "stopSequences", "stop_words"],
	seed: ["seed"],
	frequency_penalty: ["frequency_penalty", "frequencyPenalty"],
	presence_penalty: ["presence_penalty", "presencePenalty"],
	reasoning_effort: ["reasoning_effort", "reasoningEffort"],
	thinking: ["thinking"],
	thinking_config: ["thinking_config", "thinkingConfig"],
} as const satisfies Readonly<Record<Known, readonly string[]>>;

/** Parameters that OpenAI's and like servers take besides. */
const OTHERS = [
	"logit_bias",
	"logprobs",
	"top_logprobs",
	"min_p",
	"repetition_penalty",
	"service_tier",
	"verbosity",
	"prediction",
	"web_search_options",
] as const;

/** Parts of a request that are no parameters, or say nothing about the answer. */
const IGNORED = new Set<string>([
	...["model", "model_name", "modelName", "modelId", "model_id", "deployment", "azure_deployment", "engine", "api"],
	...["messages", "input", "prompt", "contents", "content", "system", "instructions", "system_instruction"],
	...[
		"systemInstruction",
		"history",
		"chat_history",
		"tools",
		"tool_choice",
		"toolChoice",
		"tool_config",
		"toolConfig",
	],
	...["available_tools", "functions", "function_call", "parallel_tool_calls", "parallelToolCalls", "response_format"],
	...["responseFormat", "output_format", "output_config", "format", "text", "response_schema", "responseSchema"],
	...["response_json_schema", "responseJsonSchema", "response_mime_type", "responseMimeType", "config", "output"],
	...["generation_config", "generationConfig", "generate_content_config", "inferenceConfig", "reasoning"],
	...["stream", "streaming", "stream_options", "is_streaming", "user", "metadata", "store", "timeout", "type", "_type"],
	...["max_retries", "maxRetries", "extra_headers", "extra_query", "headers", "api_key", "base_url", "callbacks"],
	...["include", "truncation", "background", "conversation", "previous_response_id", "prompt_cache_key", "extra_body"],
	...["safety_identifier", "betas", "cache_control", "container", "mcp_servers", "labels", "encoding_formats"],
	// Of answers, which some libraries record in the place of the request.
	...["id", "object", "created_at", "completed_at", "status", "error", "incomplete_details", "usage"],
	...["structured_output_schema", "class_name", "http_options"],
	...["model_provider", "candidate_count", "modality", "modalities"],
]);

/** Parameters of a call; undefined when none was recorded. */
export function readParameters({ objects, ofRequest }: RequestObjects): SentParameters | undefined {
	const reasoning = lookUpObject(objects, ["reasoning"]);
	const effort = lookUp(objects, NAMES.reasoning_effort) ?? (reasoning && field(reasoning, "effort"));
	const ownEffort = lookUpObject(objects, ["output_config"]);
	const parameters = compact<SentParameters>({
		temperature: numberOf(lookUp(objects, NAMES.temperature)),
		top_p: numberOf(lookUp(objects, NAMES.top_p)),
		top_k: countValue(lookUp(objects, NAMES.top_k)),
		max_tokens: limitOf(lookUp(objects, NAMES.max_tokens)),
		max_completion_tokens: limitOf(lookUp(objects, NAMES.max_completion_tokens)),
		stop: textsOf(lookUp(objects, NAMES.stop)),
		seed: integerOf(lookUp(objects, NAMES.seed)),
		frequency_penalty: numberOf(lookUp(objects, NAMES.frequency_penalty)),
		presence_penalty: numberOf(lookUp(objects, NAMES.presence_penalty)),
		reasoning_effort: wordOf(effort) ?? wordOf(ownEffort && field(ownEffort, "effort")),
		thinking: lookUpObject(objects, NAMES.thinking),
		thinking_config: lookUpObject(objects, NAMES.thinking_config),
		others: othersIn(objects),
		unknown: unknownIn(ofRequest),
	});
	return Object.keys(parameters).length > 0 ? parameters : undefined;
}

function numberOf(value: Plain | undefined): number | undefined {
	const number = typeof value === "string" && value.length < 40 && value.trim() !== "" ? Number(value) : value;
	return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function integerOf(value: Plain | undefined): number | undefined {
	const number = numberOf(typeof value === "bigint" ? Number(value) : value);
	return Number.isSafeInteger(number) ? number : undefined;
}

/** Libraries write a limit that is not set as -1, Infinity or 0. */
function limitOf(value: Plain | undefined): number | undefined {
	const limit = integerOf(value);
	return limit !== undefined && limit > 0 ? limit : undefined;
}

function textsOf(value: Plain | undefined): string[] | undefined {
	const data = decoded(value);
	const texts = (isList(data) ? data : [data]).filter((text) => typeof text === "string");
	return texts.length > 0 ? texts : undefined;
}

function wordOf(value: Plain | undefined): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

function othersIn(objects: readonly PlainObject[]): { [key: string]: Plain } | undefined {
	const found = OTHERS.flatMap((name) => {
		const value = lookUp(objects, [name]);
		return value === undefined || isEmpty(value) ? [] : [[name, decoded(value) ?? value] as const];
	});
	return found.length > 0 ? Object.fromEntries(found) : undefined;
}

const KNOWN = new Set<string>([...Object.values(NAMES).flat(), ...OTHERS]);

/** Names that may be parameters of the answer, so that leaving them out is said. */
function unknownIn(objects: readonly PlainObject[]): string[] | undefined {
	const names = new Set<string>();
	for (const object of objects) {
		for (const [name, value] of Object.entries(object)) {
			if (value === null || value === "" || isEmpty(value) || KNOWN.has(name) || IGNORED.has(name)) continue;
			// One answer is what is asked for anyway.
			if (name === "n" && value === 1) continue;
			if (NAME.test(name)) names.add(name);
		}
	}
	return names.size > 0 ? [...names].slice(0, MOST_UNKNOWN) : undefined;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MOST_UNKNOWN = 20;

function isEmpty(value: Plain): boolean {
	if (isList(value)) return value.length === 0;
	return isObject(value) && Object.keys(value).length === 0;
}

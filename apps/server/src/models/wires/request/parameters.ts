import type { ConnectionKind } from "#models/connection.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { type JsonObject, merge, put } from "../json-object.ts";
import { isClaude, notSaid, WIRE_NAMES, type Wire } from "../wire.ts";
import { putReasoning, REASONING_NAMES, readReasoning } from "./reasoning.ts";

type InvocationParameters = NonNullable<ModelRequest["invocation_parameters"]>;

/** Parameters of any provider in one shape, with the names that they were given by. */
interface Parameters {
	readonly values: ReadonlyMap<Name, { readonly value: unknown; readonly givenAs: string }>;
	readonly extraBody: { readonly value: JsonObject; readonly of: "openai" | "anthropic" } | undefined;
}

type Name =
	| "max_tokens"
	| "max_completion_tokens"
	| "temperature"
	| "top_p"
	| "top_k"
	| "frequency_penalty"
	| "presence_penalty"
	| "seed"
	| "stop";

/** What of a request's parameters goes into the body. */
export interface BodyParameters {
	/** Merged into the body of the library, member by member. */
	readonly body: JsonObject;
	/** Names as they were given, by the names that the wire has for them. */
	readonly givenNames: ReadonlyMap<string, string>;
	readonly warnings: readonly string[];
}

/** Where a wire has a parameter; what is missing cannot be said in it. */
type Paths = Readonly<Partial<Record<Name, string>>>;

const PATHS: Readonly<Record<Wire, Paths>> = {
	chat: {
		max_tokens: "max_tokens",
		max_completion_tokens: "max_completion_tokens",
		temperature: "temperature",
		top_p: "top_p",
		frequency_penalty: "frequency_penalty",
		presence_penalty: "presence_penalty",
		seed: "seed",
		stop: "stop",
	},
	responses: {
		max_tokens: "max_output_tokens",
		max_completion_tokens: "max_output_tokens",
		temperature: "temperature",
		top_p: "top_p",
	},
	messages: {
		max_tokens: "max_tokens",
		max_completion_tokens: "max_tokens",
		temperature: "temperature",
		top_p: "top_p",
		top_k: "top_k",
		stop: "stop_sequences",
	},
	gemini: {
		max_tokens: "generationConfig.maxOutputTokens",
		max_completion_tokens: "generationConfig.maxOutputTokens",
		temperature: "generationConfig.temperature",
		top_p: "generationConfig.topP",
		top_k: "generationConfig.topK",
		frequency_penalty: "generationConfig.frequencyPenalty",
		presence_penalty: "generationConfig.presencePenalty",
		seed: "generationConfig.seed",
		stop: "generationConfig.stopSequences",
	},
	converse: {
		max_tokens: "inferenceConfig.maxTokens",
		max_completion_tokens: "inferenceConfig.maxTokens",
		temperature: "inferenceConfig.temperature",
		top_p: "inferenceConfig.topP",
		stop: "inferenceConfig.stopSequences",
	},
};

/** Translates the parameters of a request; they are sent as they were given, and the provider judges them. */
export function bodyParameters(wire: Wire, kind: ConnectionKind, request: ModelRequest): BodyParameters {
	const { invocation_parameters: given, model } = request;
	const body: Record<string, unknown> = {};
	const givenNames = new Map<string, string>();
	const warnings: string[] = [];
	if (given === undefined) return { body, givenNames, warnings };
	const parameters = readParameters(given);
	const paths = pathsOf(wire, kind, given.type, model);
	for (const [name, { value, givenAs }] of parameters.values) {
		const path = paths[name];
		if (path === undefined) {
			warnings.push(notSaid(givenAs, wire));
			continue;
		}
		put(body, path, value);
		givenNames.set(lastName(path), givenAs);
	}
	const reasoning = readReasoning(given);
	putReasoning({ body, warnings, wire, model, ...reasoning });
	const reasonedAs = reasoning.thinking?.givenAs ?? reasoning.effort?.givenAs;
	if (reasonedAs !== undefined) for (const name of REASONING_NAMES[wire]) givenNames.set(name, reasonedAs);
	putExtraBody(body, { warnings, wire, extraBody: parameters.extraBody });
	return { body, givenNames, warnings };
}

function pathsOf(wire: Wire, kind: ConnectionKind, type: InvocationParameters["type"], model: string): Paths {
	const paths = PATHS[wire];
	if (wire === "converse" && isClaude(model)) return { ...paths, top_k: "additionalModelRequestFields.top_k" };
	if (wire !== "chat") return paths;
	// No parameter of OpenAI's own, but of most servers that speak like it.
	if (kind === "openai_compatible") return { ...paths, top_k: "top_k" };
	return type === "openai" ? paths : { ...paths, max_tokens: "max_completion_tokens" };
}

function readParameters(given: InvocationParameters): Parameters {
	switch (given.type) {
		case "openai": {
			const { extra_body: value } = given.openai;
			return { values: valuesOf(given.openai), extraBody: value === undefined ? undefined : { value, of: "openai" } };
		}
		case "anthropic": {
			const { extra_body: value } = given.anthropic;
			const extraBody = value === undefined ? undefined : ({ value, of: "anthropic" } as const);
			return { values: valuesOf(given.anthropic), extraBody };
		}
		case "google":
			return { values: valuesOf(given.google), extraBody: undefined };
		case "aws":
			return { values: valuesOf(given.aws), extraBody: undefined };
	}
}

const NAMES: Readonly<Record<string, Name>> = {
	max_tokens: "max_tokens",
	max_output_tokens: "max_tokens",
	max_completion_tokens: "max_completion_tokens",
	temperature: "temperature",
	top_p: "top_p",
	top_k: "top_k",
	frequency_penalty: "frequency_penalty",
	presence_penalty: "presence_penalty",
	seed: "seed",
	stop: "stop",
	stop_sequences: "stop",
};

function valuesOf(members: Readonly<Record<string, unknown>>): Parameters["values"] {
	return new Map(
		Object.entries(members).flatMap(([givenAs, value]) => {
			const name = NAMES[givenAs];
			return name === undefined || value === undefined ? [] : [[name, { value, givenAs }] as const];
		}),
	);
}

/** What decides who is asked, what, how, and how much it may cost is not taken from `extra_body`. */
const FIXED: ReadonlySet<string> = new Set([
	...[
		"model",
		"models",
		"messages",
		"input",
		"system",
		"instructions",
		"prompt",
		"conversation",
		"previous_response_id",
	],
	...["stream", "stream_options", "n", "best_of", "background", "max_tokens", "max_completion_tokens"],
	"max_output_tokens",
]);

function putExtraBody(
	body: Record<string, unknown>,
	{ warnings, wire, extraBody }: { readonly warnings: string[]; readonly wire: Wire } & Pick<Parameters, "extraBody">,
): void {
	if (extraBody === undefined) return;
	const isOwn = extraBody.of === "anthropic" ? wire === "messages" : wire === "chat" || wire === "responses";
	if (!isOwn) {
		warnings.push(`\`extra_body\` is not sent: it is written for another provider than ${WIRE_NAMES[wire]}.`);
		return;
	}
	for (const [member, value] of Object.entries(extraBody.value)) {
		if (FIXED.has(member))
			warnings.push(`\`${member}\` of \`extra_body\` is not sent: it is set by the request itself.`);
		else merge(body, { [member]: value });
	}
}

function lastName(path: string): string {
	return (path.split(".").at(-1) ?? path).replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}

// MLflow spans exported over OTLP: https://mlflow.org/docs/latest/genai/concepts/span (every value is JSON text).
import { amountValue, countValue, textValue, toObject } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { readDocuments } from "../documents.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decoded, field, isList, isObject, type PlainObject } from "../json.ts";
import { readMessages } from "../messages.ts";
import type { Attributes, Plain, RawValue, Semantic, SpanFacts, SpanInput, SpanKind } from "../model.ts";
import { tokenCounts } from "../token-counts.ts";
import { toolSchemas } from "../tool-definitions.ts";
import type { Content, ConventionReader } from "./convention.ts";
import { spanKindOf } from "./openinference.ts";

const TYPE = "mlflow.spanType";
const MODEL = ["mlflow.llm.model", "mlflow.chat.model", "model"] as const;
const PROVIDER = ["mlflow.llm.provider", "mlflow.model.provider"] as const;
const USAGE = "mlflow.chat.tokenUsage";
const COST = "mlflow.llm.cost";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
	["CHAT_MODEL", "LLM"],
	["PARSER", "CHAIN"],
	["WORKFLOW", "CHAIN"],
	["TASK", "CHAIN"],
	["MEMORY", "CHAIN"],
]);

export const mlflow: ConventionReader = {
	factKeys: [TYPE, ...MODEL, ...PROVIDER, USAGE, COST, ...IDENTITY_KEYS],
	readFacts,
	readContent: ({ attributes }, facts) => readContent(attributes, facts),
	readDetails,
};

/** A text without its JSON quotes. */
function jsonText(attributes: Attributes, keys: readonly string[]): string | undefined {
	for (const key of keys) {
		const text = textValue(decoded(attributes.get(key)));
		if (text !== undefined) return text;
	}
	return undefined;
}

function readFacts(_name: string, _scope: string, attributes: Attributes): SpanFacts {
	const type = jsonText(attributes, [TYPE]);
	const facts: SpanFacts = {
		convention: "mlflow",
		kind: type === undefined ? "UNKNOWN" : (KINDS.get(type) ?? spanKindOf(type)),
		tokens: readUsage(decoded(attributes.get(USAGE))),
		tokens_are_aggregate: false,
	};
	if (type !== undefined) facts.kind_from = TYPE;
	const model =
		facts.kind === "LLM" || facts.kind === "EMBEDDING"
			? jsonText(attributes, MODEL)
			: jsonText(attributes, MODEL.slice(0, 2));
	if (model !== undefined) facts.model = model;
	const provider = jsonText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	const cost = decoded(attributes.get(COST));
	if (isObject(cost)) {
		facts.cost_sent = compact<NonNullable<SpanFacts["cost_sent"]>>({
			total: amountValue(field(cost, "total_cost")),
			prompt: amountValue(field(cost, "input_cost")),
			completion: amountValue(field(cost, "output_cost")),
		});
	}
	return readIdentity(attributes, facts);
}

function readUsage(usage: Plain | undefined): SpanFacts["tokens"] {
	if (!isObject(usage)) return {};
	const count = (...keys: string[]): number | undefined =>
		keys.map((key) => countValue(field(usage, key))).find((value) => value !== undefined);
	return tokenCounts(
		count("input_tokens", "prompt_tokens"),
		count("output_tokens", "completion_tokens"),
		count("total_tokens"),
		count("cache_read_input_tokens", "cached_input_tokens"),
		count("cache_creation_input_tokens"),
		count("reasoning_tokens", "reasoning_output_tokens"),
	);
}

function readContent(attributes: Attributes, facts: SpanFacts): Content {
	const input = raw(attributes, "mlflow.spanInputs");
	const output = raw(attributes, "mlflow.spanOutputs");
	if (facts.kind !== "LLM") return compact<Content>({ input, output });
	const all = decoded(attributes.get("mlflow.chat.messages"));
	return compact<Content>({
		input,
		output,
		input_messages:
			readMessages(input?.value, "input") ?? readMessages(isList(all) ? all.slice(0, -1) : undefined, "input"),
		output_messages:
			readMessages(output?.value, "output") ?? readMessages(isList(all) ? all.slice(-1) : undefined, "output"),
	});
}

function raw(attributes: Attributes, attribute: string): RawValue | undefined {
	const value = attributes.get(attribute);
	return value === undefined || value === null ? undefined : { attribute, value };
}

function readDetails(span: SpanInput, facts: SpanFacts, content: Content): Partial<Semantic> {
	const { attributes } = span;
	const inputs = decoded(content.input?.value);
	const request = facts.kind === "LLM" && isObject(inputs) ? inputs : undefined;
	return compact<Partial<Semantic>>({
		tool: facts.kind === "TOOL" ? { name: span.name } : undefined,
		tool_schemas:
			toolSchemas(attributes.get("mlflow.chat.tools")) ??
			(request === undefined ? undefined : toolSchemas(field(request, "tools"))),
		documents: facts.kind === "RETRIEVER" ? readDocuments(content.output?.value) : undefined,
		invocation_parameters: request === undefined ? undefined : readParameters(request),
		finish_reason: readFinishReason(decoded(content.output?.value)),
	});
}

const PARAMETERS =
	/^(temperature|top_[pk]|max(_completion|_output)?_tokens|stop|stop_sequences|seed|n|stream|(frequency|presence)_penalty|response_format|tool_choice|reasoning_effort)$/;

function readParameters(request: PlainObject): Plain | undefined {
	const parameters = Object.entries(request).filter(([key]) => PARAMETERS.test(key));
	return parameters.length > 0 ? toObject(parameters) : undefined;
}

function readFinishReason(response: Plain | undefined): string | undefined {
	const choices = isObject(response) ? field(response, "choices") : undefined;
	const first = isList(choices) ? choices[0] : undefined;
	return isObject(first) ? textValue(field(first, "finish_reason")) : undefined;
}

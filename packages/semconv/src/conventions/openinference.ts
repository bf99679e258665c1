// OpenInference: https://arize-ai.github.io/openinference/spec/semantic_conventions.html
import {
	amountValue,
	attributesBelow,
	firstAmount,
	firstCount,
	firstText,
	indexedEntries,
	textList,
	textValue,
	toObject,
} from "../attribute-values.ts";
import { compact, nonEmpty } from "../compact.ts";
import { readIndexedDocuments } from "../documents.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decoded, decodedContent, field, isList, isObject } from "../json.ts";
import type { Side } from "../messages.ts";
import {
	type Attributes,
	type Plain,
	type RawValue,
	type Semantic,
	SPAN_KINDS,
	type SpanFacts,
	type SpanKind,
} from "../model.ts";
import { sumsItsCalls, tokenCounts } from "../token-counts.ts";
import { toolSchemas } from "../tool-definitions.ts";
import type { Content, ConventionReader } from "./convention.ts";
import { readPrompts, readSide } from "./openinference-messages.ts";

const KIND = "openinference.span.kind";
const MODEL = ["llm.response.model_name", "llm.model_name", "embedding.model_name", "reranker.model_name"] as const;
const REQUEST_MODEL = ["llm.request.model_name"] as const;
const PROVIDER = ["llm.provider", "llm.system"] as const;
const PROMPT = ["llm.token_count.prompt"] as const;
const COMPLETION = ["llm.token_count.completion"] as const;
const TOTAL = ["llm.token_count.total"] as const;
const CACHE_READ = ["llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input"] as const;
const CACHE_WRITE = ["llm.token_count.prompt_details.cache_write"] as const;
const REASONING = ["llm.token_count.completion_details.reasoning"] as const;
const COST = ["llm.cost.total"] as const;
const COST_PROMPT = ["llm.cost.prompt"] as const;
const COST_COMPLETION = ["llm.cost.completion"] as const;
/** The AI SDK's exporter adds OpenInference keys to `ai.*`, but without the tokens of embeddings. */
const AI_EMBEDDING_TOKENS = ["ai.usage.tokens"] as const;

const KINDS: ReadonlySet<string> = new Set(SPAN_KINDS);

export function spanKindOf(value: string): SpanKind {
	const kind = value.toUpperCase();
	return KINDS.has(kind) ? (kind as SpanKind) : "UNKNOWN";
}

export const openinference: ConventionReader = {
	factKeys: [
		KIND,
		...MODEL,
		...REQUEST_MODEL,
		...PROVIDER,
		...PROMPT,
		...COMPLETION,
		...TOTAL,
		...CACHE_READ,
		...CACHE_WRITE,
		...REASONING,
		...COST,
		...COST_PROMPT,
		...COST_COMPLETION,
		...AI_EMBEDDING_TOKENS,
		...IDENTITY_KEYS,
	],
	readFacts,
	readContent: ({ attributes }) => readOpenInferenceContent(attributes),
	readDetails: ({ attributes }) => readDetails(attributes),
};

function readFacts(_name: string, scope: string, attributes: Attributes): SpanFacts {
	const sent = attributes.get(KIND);
	const kind = typeof sent === "string" ? spanKindOf(sent) : "UNKNOWN";
	const prompt =
		firstCount(attributes, PROMPT) ?? (kind === "EMBEDDING" ? firstCount(attributes, AI_EMBEDDING_TOKENS) : undefined);
	const facts: SpanFacts = {
		convention: "openinference",
		kind,
		tokens: tokenCounts(
			prompt,
			firstCount(attributes, COMPLETION),
			firstCount(attributes, TOTAL),
			firstCount(attributes, CACHE_READ),
			firstCount(attributes, CACHE_WRITE),
			firstCount(attributes, REASONING),
		),
		tokens_are_aggregate: false,
	};
	facts.tokens_are_aggregate = sumsItsCalls(kind, scope, facts.tokens);
	if (typeof sent === "string") facts.kind_from = KIND;
	const requested = firstText(attributes, REQUEST_MODEL);
	const model = firstText(attributes, MODEL) ?? requested;
	if (model !== undefined) facts.model = model;
	if (requested !== undefined) facts.request_model = requested;
	const provider = firstText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	const cost = readCost(attributes);
	if (cost !== undefined) facts.cost_sent = cost;
	return readIdentity(attributes, facts);
}

function readCost(attributes: Attributes): SpanFacts["cost_sent"] {
	const total = firstAmount(attributes, COST);
	const prompt = firstAmount(attributes, COST_PROMPT);
	const completion = firstAmount(attributes, COST_COMPLETION);
	if (total === undefined && prompt === undefined && completion === undefined) return undefined;
	return compact({ total, prompt, completion });
}

/** Input, output and messages by OpenInference's keys, which other conventions use as a fallback. */
export function readOpenInferenceContent(attributes: Attributes): Content {
	return compact<Content>({
		input: rawValue(attributes, "input"),
		output: rawValue(attributes, "output"),
		input_messages:
			readSide(attributes, "llm.input_messages", "input") ?? readPrompts(attributes, "llm.prompts", "prompt", "user"),
		output_messages:
			readSide(attributes, "llm.output_messages", "output") ??
			readPrompts(attributes, "llm.choices", "completion", "assistant"),
		embedded_texts: readEmbeddings(attributes)?.texts,
	});
}

function rawValue(attributes: Attributes, side: Side): RawValue | undefined {
	const attribute = `${side}.value`;
	const value = attributes.get(attribute);
	if (value === undefined || value === null) return undefined;
	return compact<RawValue>({ attribute, value, mime: textValue(attributes.get(`${side}.mime_type`)) });
}

function readDetails(attributes: Attributes): Partial<Semantic> {
	return compact<Partial<Semantic>>({
		tool: readTool(attributes),
		tool_schemas: readToolSchemas(attributes),
		documents:
			readIndexedDocuments(attributes, "retrieval.documents") ??
			readIndexedDocuments(attributes, "reranker.output_documents"),
		embeddings: readEmbeddings(attributes),
		prompt_template: readPromptTemplate(attributes),
		invocation_parameters: decodedContent(
			attributes.get("llm.invocation_parameters") ?? attributes.get("embedding.invocation_parameters"),
		),
		agent_name: firstText(attributes, ["agent.name"]),
		metadata: decodedContent(attributes.get("metadata")),
		metadata_flattened: flattenedMetadata(attributes),
		tags: textList(attributes.get("tag.tags")),
		finish_reason: firstText(attributes, ["llm.finish_reason"]),
		cost: sentCost(attributes),
	});
}

/** `metadata.x` attributes as one object. */
export function flattenedMetadata(attributes: Attributes): Plain | undefined {
	const below = [...(attributesBelow(attributes, "metadata") ?? [])].filter(([, value]) => value !== "");
	return below.length > 0 ? toObject(below) : undefined;
}

function sentCost(attributes: Attributes): Semantic["cost"] | undefined {
	const cost = readCost(attributes);
	if (cost === undefined) return undefined;
	const detail = (key: string): number | undefined => amountValue(attributes.get(`llm.cost.${key}`));
	return compact<NonNullable<Semantic["cost"]>>({
		total: cost.total ?? (cost.prompt ?? 0) + (cost.completion ?? 0),
		prompt: cost.prompt,
		completion: cost.completion,
		cache_read: detail("prompt_details.cache_read"),
		cache_write: detail("prompt_details.cache_write"),
		reasoning: detail("completion_details.reasoning"),
		source: "sent",
	});
}

function readTool(attributes: Attributes): Semantic["tool"] | undefined {
	const tool = compact<NonNullable<Semantic["tool"]>>({
		name: firstText(attributes, ["tool.name"]),
		description: firstText(attributes, ["tool.description"]),
		call_id: firstText(attributes, ["tool_call.id", "tool.id"]),
		parameters: decodedContent(attributes.get("tool.parameters") ?? attributes.get("tool.json_schema")),
	});
	return Object.keys(tool).length > 0 ? tool : undefined;
}

function readToolSchemas(attributes: Attributes): Plain[] | undefined {
	const entries = indexedEntries(attributes, "llm.tools").map(
		(entry) =>
			decoded(entry.get("tool.json_schema") ?? entry.get("tool.function.json_schema") ?? entry.get("")) ??
			toObject(entry),
	);
	if (entries.length > 0) return entries;
	const sent = toolSchemas(attributes.get("llm.tools"));
	if (sent !== undefined) return sent;
	return toolsOf(attributes.get("llm.invocation_parameters")) ?? toolsOf(attributes.get("input.value"));
}

/** The tools in a request or in its parameters. */
function toolsOf(value: Plain | undefined): Plain[] | undefined {
	const request = decoded(value);
	const tools = isObject(request) ? decoded(field(request, "tools")) : undefined;
	return isList(tools) && tools.every(isObject) ? toolSchemas(tools) : undefined;
}

function readEmbeddings(attributes: Attributes): Semantic["embeddings"] | undefined {
	const entries = indexedEntries(attributes, "embedding.embeddings");
	if (entries.length === 0) return undefined;
	const vectors = entries.map((entry) => decoded(entry.get("embedding.vector"))).filter(isList);
	return compact<NonNullable<Semantic["embeddings"]>>({
		texts: nonEmpty(entries.map((entry) => textOf(entry.get("embedding.text"))).filter((text) => text !== undefined)),
		vectors: vectors.length > 0 ? vectors.length : undefined,
		dimension: vectors[0]?.length,
	});
}

function readPromptTemplate(attributes: Attributes): Semantic["prompt_template"] | undefined {
	const template = compact<NonNullable<Semantic["prompt_template"]>>({
		template: textOf(attributes.get("llm.prompt_template.template")),
		version: firstText(attributes, ["llm.prompt_template.version"]),
		variables: decodedContent(attributes.get("llm.prompt_template.variables")),
	});
	return Object.keys(template).length > 0 ? template : undefined;
}

function textOf(value: Plain | undefined): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

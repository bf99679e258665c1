import {
	attributesBelow,
	countValue,
	firstCount,
	firstText,
	indexedEntries,
	textList,
	textValue,
	toObject,
} from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { readDocuments } from "../documents.ts";
import { decoded, field, isObject } from "../json.ts";
import type { Attributes, Plain, Semantic, SpanFacts, SpanInput } from "../model.ts";
import { hasTokens, tokenCounts } from "../token-counts.ts";
import { toolSchemas } from "../tool-definitions.ts";
import type { Content } from "./convention.ts";
import { readGenAiEvents } from "./genai-events.ts";
import { flattenedMetadata } from "./openinference.ts";
import { associationProperties, readPromptTemplate } from "./traceloop-properties.ts";

export function readGenAiDetails(span: SpanInput, facts: SpanFacts, content: Content): Partial<Semantic> {
	const { attributes } = span;
	return compact<Partial<Semantic>>({
		tool: facts.kind === "TOOL" ? readTool(attributes) : undefined,
		tool_schemas: readToolSchemas(attributes),
		documents:
			readDocuments(attributes.get("gen_ai.retrieval.documents")) ??
			(facts.kind === "RETRIEVER" ? readDocuments(content.output?.value) : undefined),
		embeddings: readEmbeddings(attributes),
		prompt_template: readPromptTemplate(attributes) ?? readPrompt(attributes),
		invocation_parameters: readParameters(attributes),
		agent_name: firstText(attributes, ["gen_ai.agent.name", "agent_name"]),
		metadata: readMetadata(attributes),
		metadata_flattened: flattenedMetadata(attributes),
		tags: textList(
			attributes.get("langsmith.span.tags") ??
				attributes.get("tag.tags") ??
				attributes.get("logfire.tags") ??
				attributes.get("tags"),
		),
		aggregated_tokens: readAggregated(attributes),
		finish_reason: readFinishReason(span),
	});
}

function readTool(attributes: Attributes): Semantic["tool"] | undefined {
	const tool = compact<NonNullable<Semantic["tool"]>>({
		name: firstText(attributes, ["gen_ai.tool.name", "tool_name", "tool.name"]),
		description: firstText(attributes, ["gen_ai.tool.description", "tool.description"]),
		call_id: firstText(attributes, ["gen_ai.tool.call.id", "tool_call_id"]),
	});
	return Object.keys(tool).length > 0 ? tool : undefined;
}

const TOOL_SCHEMAS = [
	"gen_ai.tool.definitions",
	"gen_ai.request.available_tools",
	"gen_ai.request.tools",
	"gen_ai.agent.tools",
	"llm.request.functions",
] as const;

function readToolSchemas(attributes: Attributes): Plain[] | undefined {
	for (const key of TOOL_SCHEMAS) {
		const schemas = toolSchemas(attributes.get(key));
		if (schemas !== undefined) return schemas;
	}
	const indexed = indexedEntries(attributes, "llm.request.functions").map(toObject);
	if (indexed.length > 0) return indexed;
	// pydantic-ai
	const parameters = decoded(attributes.get("model_request_parameters"));
	return isObject(parameters) ? toolSchemas(field(parameters, "function_tools")) : undefined;
}

function readEmbeddings(attributes: Attributes): Semantic["embeddings"] | undefined {
	const dimension = firstCount(attributes, ["gen_ai.embeddings.dimension.count", "gen_ai.request.embedding_dimension"]);
	return dimension === undefined ? undefined : { dimension };
}

function readPrompt(attributes: Attributes): Semantic["prompt_template"] | undefined {
	const variables = attributesBelow(attributes, "gen_ai.prompt.variable");
	const version = firstText(attributes, ["gen_ai.prompt.version"]);
	if (variables === undefined && version === undefined) return undefined;
	return compact<NonNullable<Semantic["prompt_template"]>>({
		version,
		variables: variables === undefined ? undefined : toObject(variables),
	});
}

const NOT_PARAMETERS = new Set(["model", "messages", "available_tools", "tools", "user", "input", "type"]);

/** `gen_ai.request.*` except model and messages; the JSON object that some libraries send takes precedence. */
function readParameters(attributes: Attributes): Plain | undefined {
	const sent = decoded(attributes.get("llm.invocation_parameters"));
	if (isObject(sent)) return sent;
	const below = attributesBelow(attributes, "gen_ai.request");
	const parameters = [...(below ?? [])].filter(([key]) => !NOT_PARAMETERS.has(key) && !key.includes("."));
	return parameters.length > 0 ? toObject(parameters) : undefined;
}

function readMetadata(attributes: Attributes): Plain | undefined {
	const sent = decoded(attributes.get("metadata") ?? attributes.get("gen_ai.metadata"));
	if (isObject(sent)) return sent;
	const langsmith = attributesBelow(attributes, "langsmith.metadata");
	return langsmith === undefined ? associationProperties(attributes) : toObject(langsmith);
}

/** pydantic-ai's sum over an agent's run, separate from the span's own tokens. */
function readAggregated(attributes: Attributes): Semantic["aggregated_tokens"] | undefined {
	const count = (key: string): number | undefined => countValue(attributes.get(`gen_ai.aggregated_usage.${key}`));
	const tokens = tokenCounts(
		count("input_tokens"),
		count("output_tokens"),
		count("total_tokens"),
		count("cache_read.input_tokens") ?? count("details.cache_read_tokens"),
		count("cache_creation.input_tokens") ?? count("details.cache_write_tokens"),
		count("details.reasoning_tokens"),
	);
	return hasTokens(tokens) ? tokens : undefined;
}

function readFinishReason(span: SpanInput): string | undefined {
	const { attributes } = span;
	const sent =
		textList(attributes.get("gen_ai.response.finish_reasons"))?.[0] ??
		firstText(attributes, [
			"gen_ai.response.finish_reason",
			"gen_ai.completion.0.finish_reason",
			"llm.response.finish_reason",
			"anthropic.message.stop_reason",
		]);
	if (sent !== undefined) return sent;
	const choice = readGenAiEvents(span).findLast((event) => event.name === "gen_ai.choice");
	return textValue(choice?.data["finish_reason"]);
}

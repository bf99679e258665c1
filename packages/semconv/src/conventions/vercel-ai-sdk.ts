// Vercel AI SDK 4 to 6: https://ai-sdk.dev/docs/ai-sdk-core/telemetry
import { attributesBelow, firstCount, firstText, textValue, toObject } from "../attribute-values.ts";
import { compact, nonEmpty } from "../compact.ts";
import { readDocuments } from "../documents.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { asText, decoded, isList } from "../json.ts";
import { readMessages } from "../messages.ts";
import type { Attributes, Message, Plain, RawValue, Semantic, SpanFacts, SpanKind } from "../model.ts";
import { hasTokens, tokenCounts } from "../token-counts.ts";
import { readToolCalls } from "../tool-calls.ts";
import { toolSchemas } from "../tool-definitions.ts";
import type { Content, ConventionReader } from "./convention.ts";

const OPERATION = "ai.operationId";
const OPERATION_NAME = "operation.name";
const MODEL = ["ai.response.model", "gen_ai.response.model", "ai.model.id", "gen_ai.request.model"] as const;
const REQUEST_MODEL = ["ai.model.id", "gen_ai.request.model"] as const;
const PROVIDER = ["ai.model.provider", "gen_ai.system", "gen_ai.provider.name"] as const;
const PROMPT = [
	"ai.usage.inputTokens",
	"ai.usage.promptTokens",
	"ai.usage.tokens",
	"gen_ai.usage.input_tokens",
] as const;
const COMPLETION = ["ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens"] as const;
const TOTAL = ["ai.usage.totalTokens"] as const;
const CACHE_READ = ["ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"] as const;
const CACHE_WRITE = ["ai.usage.inputTokenDetails.cacheWriteTokens"] as const;
const REASONING = ["ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"] as const;

export const vercelAiSdk: ConventionReader = {
	factKeys: [
		OPERATION,
		OPERATION_NAME,
		...MODEL,
		...REQUEST_MODEL,
		...PROVIDER,
		...PROMPT,
		...COMPLETION,
		...TOTAL,
		...CACHE_READ,
		...CACHE_WRITE,
		...REASONING,
		...IDENTITY_KEYS,
	],
	readFacts,
	readContent: ({ attributes }) => readContent(attributes),
	readDetails: ({ attributes }, _facts, content) => readDetails(attributes, content),
};

/** `ai.generateText.doGenerate`; the older `operation.name` has a space and the function id after it. */
function operationOf(attributes: Attributes): string {
	const operation = textValue(attributes.get(OPERATION));
	if (operation !== undefined) return operation;
	return textValue(attributes.get(OPERATION_NAME))?.split(" ")[0] ?? "";
}

function kindOf(operation: string): SpanKind {
	switch (operation) {
		case "ai.toolCall":
			return "TOOL";
		case "ai.embed":
		case "ai.embedMany":
		case "ai.rerank":
			return "CHAIN";
	}
	if (operation.endsWith(".doEmbed")) return "EMBEDDING";
	if (operation.endsWith(".doRerank")) return "RERANKER";
	if (operation.includes(".do")) return "LLM";
	return OUTER.test(operation) ? "AGENT" : "UNKNOWN";
}

const OUTER = /^ai\.(generate|stream)(Text|Object)$|^ai\.agent/i;

function readFacts(_name: string, _scope: string, attributes: Attributes): SpanFacts {
	const operation = operationOf(attributes);
	const written = firstCount(attributes, CACHE_WRITE);
	const tokens = tokenCounts(
		firstCount(attributes, PROMPT),
		firstCount(attributes, COMPLETION),
		firstCount(attributes, TOTAL),
		firstCount(attributes, CACHE_READ),
		written === 0 ? undefined : written,
		firstCount(attributes, REASONING),
	);
	const facts: SpanFacts = {
		convention: "vercel-ai-sdk",
		kind: kindOf(operation),
		kind_from: `${OPERATION}=${operation}`,
		tokens,
		// The outer span of a call repeats the sum of its steps.
		tokens_are_aggregate: !operation.includes(".do") && hasTokens(tokens),
	};
	const model = firstText(attributes, MODEL);
	if (model !== undefined) facts.model = model;
	const requested = firstText(attributes, REQUEST_MODEL);
	if (requested !== undefined) facts.request_model = requested;
	const provider = firstText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	return readIdentity(attributes, facts);
}

function readContent(attributes: Attributes): Content {
	const operation = operationOf(attributes);
	const inner = operation.includes(".do");
	return compact<Content>({
		input: raw(attributes, ["ai.prompt.messages", "ai.prompt", "ai.toolCall.args", "ai.toolCall.input", "ai.query"]),
		output: inner
			? undefined
			: raw(attributes, [
					"ai.response.text",
					"ai.response.object",
					"ai.toolCall.result",
					"ai.toolCall.output",
					"ai.ranking",
				]),
		input_messages: inner ? readMessages(attributes.get("ai.prompt.messages"), "input") : undefined,
		output_messages: inner ? readAnswer(attributes) : undefined,
		embedded_texts: embeddedTexts(attributes),
	});
}

function raw(attributes: Attributes, keys: readonly string[]): RawValue | undefined {
	for (const attribute of keys) {
		const value = attributes.get(attribute);
		if (value !== undefined && value !== null) return { attribute, value };
	}
	return undefined;
}

function readAnswer(attributes: Attributes): Message[] | undefined {
	const calls = readToolCalls(attributes.get("ai.response.toolCalls") ?? attributes.get("ai.result.toolCalls"));
	const message = compact<Message>({
		role: "assistant",
		text: asText(
			attributes.get("ai.response.text") ??
				attributes.get("ai.response.object") ??
				attributes.get("ai.result.text") ??
				attributes.get("ai.result.object"),
		),
		tool_calls: nonEmpty(calls),
		reasoning: asText(attributes.get("ai.response.reasoning") ?? attributes.get("ai.response.reasoningText")),
	});
	return Object.keys(message).length > 1 ? [message] : undefined;
}

function readDetails(attributes: Attributes, content: Content): Partial<Semantic> {
	return compact<Partial<Semantic>>({
		tool: readTool(attributes),
		tool_schemas: toolSchemas(attributes.get("ai.prompt.tools")),
		documents: readDocuments(attributes.get("ai.ranking") ?? undefined),
		embeddings: readEmbeddings(attributes, content.embedded_texts),
		invocation_parameters: readSettings(attributes),
		metadata: readMetadata(attributes),
		function_id: firstText(attributes, ["ai.telemetry.functionId", "resource.name"]),
		finish_reason: firstText(attributes, ["ai.response.finishReason", "ai.finishReason"]),
	});
}

function readTool(attributes: Attributes): Semantic["tool"] | undefined {
	const name = firstText(attributes, ["ai.toolCall.name"]);
	const callId = firstText(attributes, ["ai.toolCall.id"]);
	return name === undefined && callId === undefined ? undefined : compact({ name, call_id: callId });
}

function readMetadata(attributes: Attributes): Plain | undefined {
	const metadata = attributesBelow(attributes, "ai.telemetry.metadata");
	return metadata === undefined ? undefined : toObject(metadata);
}

function readSettings(attributes: Attributes): Plain | undefined {
	const settings = attributesBelow(attributes, "ai.settings");
	return settings === undefined ? undefined : toObject(settings);
}

/** `ai.value` and each of `ai.values` are JSON texts. */
function embeddedTexts(attributes: Attributes): string[] | undefined {
	const one = attributes.get("ai.value");
	const values = one === undefined ? decoded(attributes.get("ai.values")) : [one];
	if (!isList(values)) return undefined;
	return nonEmpty(values.map((value) => asText(decoded(value))).filter((text) => text !== undefined));
}

function readEmbeddings(attributes: Attributes, texts: string[] | undefined): Semantic["embeddings"] | undefined {
	const one = attributes.get("ai.embedding");
	const values = one === undefined ? decoded(attributes.get("ai.embeddings")) : [one];
	const vectors = isList(values) ? values : [];
	const first = decoded(vectors[0]);
	if (texts === undefined && vectors.length === 0) return undefined;
	return compact<NonNullable<Semantic["embeddings"]>>({
		texts,
		vectors: vectors.length > 0 ? vectors.length : undefined,
		dimension: isList(first) ? first.length : undefined,
	});
}

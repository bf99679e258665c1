// OpenTelemetry GenAI: https://opentelemetry.io/docs/specs/semconv/gen-ai/ (names since 1.27), with the names that
// OpenLLMetry, OpenLIT, Logfire, LangSmith, Sentry and agent frameworks put beside it.
import { firstAmount, firstCount, firstSent, firstText, textValue } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decoded } from "../json.ts";
import type { Attributes, Convention, SpanFacts, SpanKind, TokenCounts } from "../model.ts";
import { sumsItsCalls, tokenCounts } from "../token-counts.ts";
import { readUsage } from "../usage-object.ts";
import type { ConventionReader } from "./convention.ts";
import { readGenAiContent } from "./genai-content.ts";
import { readGenAiDetails } from "./genai-details.ts";

const OPERATION = "gen_ai.operation.name";
const MODEL = [
	"gen_ai.response.model",
	"llm.response.model",
	"gen_ai.request.model",
	"llm.request.model",
	"model_name",
] as const;
const REQUEST_MODEL = ["gen_ai.request.model", "llm.request.model", "model_name"] as const;
const PROVIDER = ["gen_ai.provider.name", "gen_ai.system", "llm.vendor", "llm.provider"] as const;
const PROMPT = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"] as const;
const COMPLETION = [
	"gen_ai.usage.output_tokens",
	"gen_ai.usage.completion_tokens",
	"llm.usage.completion_tokens",
] as const;
const TOTAL = ["gen_ai.usage.total_tokens", "llm.usage.total_tokens", "gen_ai.usage.total"] as const;
const CACHE_READ = [
	"gen_ai.usage.cache_read.input_tokens",
	"gen_ai.usage.cache_read_input_tokens",
	"gen_ai.usage.details.cache_read_tokens",
	"gen_ai.usage.details.cache_read_input_tokens",
	"gen_ai.usage.details.cached_tokens",
	"gen_ai.usage.input_tokens.cached",
	"gen_ai.usage.cached_tokens",
	"gen_ai.usage.prompt_tokens_details.cached_tokens",
	"gen_ai.usage.prompt_tokens_details.cache_read",
	"gen_ai.usage.input_token_details.cache_read",
	"gen_ai.usage.input_tokens_details.cached_tokens",
] as const;
const CACHE_WRITE = [
	"gen_ai.usage.cache_creation.input_tokens",
	"gen_ai.usage.cache_creation_input_tokens",
	"gen_ai.usage.cache_write.input_tokens",
	"gen_ai.usage.cache_write_input_tokens",
	"gen_ai.usage.details.cache_write_tokens",
	"gen_ai.usage.details.cache_creation_input_tokens",
	"gen_ai.usage.input_tokens.cache_write",
	"gen_ai.usage.prompt_tokens_details.cache_write",
	"gen_ai.usage.input_token_details.cache_creation",
] as const;
const REASONING = [
	"gen_ai.usage.reasoning.output_tokens",
	"gen_ai.usage.reasoning_tokens",
	"gen_ai.usage.details.reasoning_tokens",
	"gen_ai.usage.output_tokens.reasoning",
	"gen_ai.usage.experimental.reasoning_tokens",
	"gen_ai.usage.completion_tokens_details.reasoning_tokens",
	"gen_ai.usage.completion_tokens_details.reasoning",
	"gen_ai.usage.output_token_details.reasoning",
	"gen_ai.usage.output_tokens_details.reasoning_tokens",
] as const;
/** Usage objects of providers, for the details that the attributes beside them leave out. */
const USAGE_OBJECTS = ["gen_ai.usage.raw", "langsmith.metadata.usage_metadata"] as const;
const COST = [
	"gen_ai.usage.cost",
	"gen_ai.usage.total_cost",
	"gen_ai.cost.total_cost",
	"gen_ai.cost.total_tokens",
	"operation.cost",
	"llm.usage.total_cost",
	"llm.response.cost",
] as const;
const COST_PROMPT = ["gen_ai.usage.input_cost", "gen_ai.cost.input_cost", "gen_ai.cost.input_tokens"] as const;
const COST_COMPLETION = ["gen_ai.usage.output_cost", "gen_ai.cost.output_cost", "gen_ai.cost.output_tokens"] as const;
const REQUEST_TYPE = "llm.request.type";
const LANGSMITH_KIND = "langsmith.span.kind";
const TOOL = ["gen_ai.tool.name", "gen_ai.tool.call.id"] as const;
const EMBEDDING = ["gen_ai.embeddings.dimension.count", "gen_ai.request.embedding_dimension"] as const;
const RETRIEVAL = ["gen_ai.retrieval.query.text", "gen_ai.retrieval.documents"] as const;
/** Messages under indexed keys show by their small members: ingest reads no content. */
const INDEXED = [
	"gen_ai.prompt.0.role",
	"gen_ai.completion.0.role",
	"gen_ai.completion.0.finish_reason",
	"llm.prompts.0.role",
	"llm.completions.0.role",
] as const;
const AGENT = ["gen_ai.agent.name", "gen_ai.agent.id", "agent_name"] as const;
/** Nothing is read from these but that they are there. */
const MARKERS = ["gen_ai.response.id", "gen_ai.conversation.id", "gen_ai.workflow.name"] as const;

export const GENAI_MARKERS: readonly string[] = [
	OPERATION,
	"gen_ai.system",
	"gen_ai.provider.name",
	"gen_ai.request.model",
	"gen_ai.response.model",
	...TOOL,
	...AGENT.slice(0, 2),
	...RETRIEVAL,
	"gen_ai.usage.input_tokens",
	"gen_ai.usage.prompt_tokens",
	"gen_ai.usage.output_tokens",
	...MARKERS,
	LANGSMITH_KIND,
];

export const INDEXED_MARKERS: readonly string[] = INDEXED;

export const genai: ConventionReader = {
	factKeys: [
		OPERATION,
		...MODEL,
		...REQUEST_MODEL,
		...PROVIDER,
		...PROMPT,
		...COMPLETION,
		...TOTAL,
		...CACHE_READ,
		...CACHE_WRITE,
		...REASONING,
		...USAGE_OBJECTS,
		...COST,
		...COST_PROMPT,
		...COST_COMPLETION,
		REQUEST_TYPE,
		LANGSMITH_KIND,
		...TOOL,
		...EMBEDDING,
		...RETRIEVAL,
		...INDEXED,
		...AGENT,
		...MARKERS,
		...IDENTITY_KEYS,
	],
	readFacts,
	readContent: readGenAiContent,
	readDetails: readGenAiDetails,
};

function readFacts(name: string, scope: string, attributes: Attributes, convention: Convention): SpanFacts {
	const { kind, from } = readKind(name, attributes);
	const usage = firstSent(attributes, USAGE_OBJECTS);
	const details = usage === undefined ? NO_DETAILS : readUsage(decoded(usage.value));
	const tokens = tokenCounts(
		firstCount(attributes, PROMPT),
		firstCount(attributes, COMPLETION),
		firstCount(attributes, TOTAL),
		firstCount(attributes, CACHE_READ) ?? details.cache_read,
		firstCount(attributes, CACHE_WRITE) ?? details.cache_write,
		firstCount(attributes, REASONING) ?? details.reasoning,
	);
	const facts: SpanFacts = {
		convention,
		kind,
		tokens,
		tokens_are_aggregate: sumsItsCalls(kind, scope, tokens),
	};
	if (from !== undefined) facts.kind_from = from;
	const model = firstText(attributes, MODEL);
	if (model !== undefined) facts.model = model;
	const requested = firstText(attributes, REQUEST_MODEL);
	if (requested !== undefined) facts.request_model = requested;
	const provider = firstText(attributes, PROVIDER);
	if (provider !== undefined) facts.provider = provider;
	const total = firstAmount(attributes, COST);
	const prompt = firstAmount(attributes, COST_PROMPT);
	const completion = firstAmount(attributes, COST_COMPLETION);
	if (total !== undefined || prompt !== undefined || completion !== undefined) {
		facts.cost_sent = compact({ total, prompt, completion });
	}
	return readIdentity(attributes, facts);
}

const NO_DETAILS: TokenCounts = {};

interface KindFrom {
	kind: SpanKind;
	from: string | undefined;
}

function readKind(name: string, attributes: Attributes): KindFrom {
	// First, because LangSmith calls everything but tools and chains a chat.
	const langsmith = textValue(attributes.get(LANGSMITH_KIND));
	if (langsmith !== undefined) {
		return { kind: LANGSMITH_KINDS.get(langsmith.toLowerCase()) ?? "UNKNOWN", from: `${LANGSMITH_KIND}=${langsmith}` };
	}
	const operation = textValue(attributes.get(OPERATION));
	const known = operation === undefined ? undefined : kindOfOperation(operation.toLowerCase());
	if (known !== undefined) return { kind: known, from: `${OPERATION}=${operation}` };
	const type = textValue(attributes.get(REQUEST_TYPE));
	const requested = type === undefined ? undefined : REQUEST_TYPES.get(type.toLowerCase());
	if (requested !== undefined) return { kind: requested, from: `${REQUEST_TYPE}=${type}` };
	return (
		kindByPresence(attributes) ?? {
			kind: kindByName(name),
			from: operation === undefined ? undefined : `${OPERATION}=${operation}`,
		}
	);
}

/** The operations of the conventions, and those that libraries made up before there were names. */
function kindOfOperation(operation: string): SpanKind | undefined {
	const known = OPERATIONS.get(operation);
	if (known !== undefined) return known;
	if (operation.includes("embed")) return "EMBEDDING";
	if (operation.includes("rerank")) return "RERANKER";
	if (operation.includes("chat") || operation.includes("completion") || operation.startsWith("generate")) return "LLM";
	if (operation.includes("agent")) return "AGENT";
	if (operation.includes("tool") || operation.includes("function")) return "TOOL";
	if (/workflow|loop|cycle|pipeline|chain|graph|step/.test(operation)) return "CHAIN";
	if (operation.includes("retriev") || operation.includes("search")) return "RETRIEVER";
	return undefined;
}

const OPERATIONS: ReadonlyMap<string, SpanKind> = new Map([
	["chat", "LLM"],
	["text_completion", "LLM"],
	["generate_content", "LLM"],
	["response", "LLM"],
	["responses", "LLM"],
	["message", "LLM"],
	["messages", "LLM"],
	["embeddings", "EMBEDDING"],
	["execute_tool", "TOOL"],
	["invoke_agent", "AGENT"],
	["create_agent", "AGENT"],
	["run_agent", "AGENT"],
	["handoff", "AGENT"],
	["retrieval", "RETRIEVER"],
	["vectordb", "RETRIEVER"],
	["invoke_workflow", "CHAIN"],
	["workflow", "CHAIN"],
	["framework", "CHAIN"],
	["task", "CHAIN"],
	["chain", "CHAIN"],
	["plan", "CHAIN"],
	["guardrail", "GUARDRAIL"],
	["apply_guardrail", "GUARDRAIL"],
	["evaluate", "EVALUATOR"],
]);

const LANGSMITH_KINDS: ReadonlyMap<string, SpanKind> = new Map([
	["llm", "LLM"],
	["chain", "CHAIN"],
	["tool", "TOOL"],
	["retriever", "RETRIEVER"],
	["embedding", "EMBEDDING"],
	["prompt", "PROMPT"],
	["parser", "CHAIN"],
	["agent", "AGENT"],
]);

const REQUEST_TYPES: ReadonlyMap<string, SpanKind> = new Map([
	["chat", "LLM"],
	["completion", "LLM"],
	["embedding", "EMBEDDING"],
	["embeddings", "EMBEDDING"],
	["rerank", "RERANKER"],
]);

/** Without an operation the attributes that only one kind has tell. */
function kindByPresence(attributes: Attributes): KindFrom | undefined {
	for (const [keys, kind] of PRESENCE) {
		const key = keys.find((candidate) => attributes.has(candidate));
		if (key !== undefined) return { kind, from: key };
	}
	return undefined;
}

const PRESENCE: readonly (readonly [readonly string[], SpanKind])[] = [
	[TOOL, "TOOL"],
	[RETRIEVAL, "RETRIEVER"],
	[EMBEDDING, "EMBEDDING"],
	[["agent_name"], "AGENT"],
	[[...INDEXED, "gen_ai.request.model", "llm.request.model", "gen_ai.response.model"], "LLM"],
	[AGENT, "AGENT"],
];

function kindByName(name: string): SpanKind {
	if (name.startsWith("invoke_agent") || name.startsWith("agent run")) return "AGENT";
	if (name.startsWith("execute_tool")) return "TOOL";
	return name === "call_llm" ? "LLM" : "UNKNOWN";
}

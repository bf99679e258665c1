import { textValue } from "../attribute-values.ts";
import type { Attributes, SpanKind } from "../model.ts";

const OPERATION = "gen_ai.operation.name";
const REQUEST_TYPE = "llm.request.type";
const LANGSMITH_KIND = "langsmith.span.kind";
const TOOL = ["gen_ai.tool.name", "gen_ai.tool.call.id"] as const;
const EMBEDDING = ["gen_ai.embeddings.dimension.count", "gen_ai.request.embedding_dimension"] as const;
const RETRIEVAL = ["gen_ai.retrieval.query.text", "gen_ai.retrieval.documents"] as const;
/** Small members that show the presence of messages under indexed keys, as ingest reads no content. */
const INDEXED = [
	"gen_ai.prompt.0.role",
	"gen_ai.completion.0.role",
	"gen_ai.completion.0.finish_reason",
	"llm.prompts.0.role",
	"llm.completions.0.role",
] as const;
/** Strands: one turn of an agent. */
const CYCLE = ["event_loop.cycle_id"] as const;
const AGENT = ["gen_ai.agent.name", "gen_ai.agent.id", "agent_name"] as const;
/** Only the presence of these keys matters. */
const MARKERS = ["gen_ai.response.id", "gen_ai.conversation.id", "gen_ai.workflow.name"] as const;

/** Keys that only spans of GenAI have. */
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
	...CYCLE,
	LANGSMITH_KIND,
];

/** Keys that only spans with indexed messages have. */
export const INDEXED_MARKERS: readonly string[] = INDEXED;

/** Every key that decides the kind or the convention. */
export const GENAI_KIND_KEYS: readonly string[] = [
	...GENAI_MARKERS,
	...INDEXED,
	...EMBEDDING,
	...AGENT,
	REQUEST_TYPE,
	"llm.request.model",
];

export interface KindFrom {
	kind: SpanKind;
	from: string | undefined;
}

/** The kind of a span with GenAI keys, and the attribute that it was read from. */
export function readKind(name: string, attributes: Attributes): KindFrom {
	// First, because LangSmith calls everything but tools and chains a chat.
	const langsmith = textValue(attributes.get(LANGSMITH_KIND));
	if (langsmith !== undefined) {
		return { kind: LANGSMITH_KINDS.get(langsmith.toLowerCase()) ?? "UNKNOWN", from: `${LANGSMITH_KIND}=${langsmith}` };
	}
	const operation = textValue(attributes.get(OPERATION));
	const known = kindByOperation(attributes);
	if (known !== undefined) return known;
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

/** The kind by `gen_ai.operation.name`; undefined when that has none. */
export function kindByOperation(attributes: Attributes): KindFrom | undefined {
	const operation = textValue(attributes.get(OPERATION));
	const kind = operation === undefined ? undefined : kindOfOperation(operation.toLowerCase());
	return kind === undefined ? undefined : { kind, from: `${OPERATION}=${operation}` };
}

/** The operations of the convention, and those that libraries used before it had names. */
function kindOfOperation(operation: string): SpanKind | undefined {
	const known = OPERATIONS.get(operation);
	if (known !== undefined) return known;
	if (operation.includes("guardrail")) return "GUARDRAIL";
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

/** Without an operation, attributes that only one kind has decide. */
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
	[CYCLE, "CHAIN"],
	[AGENT, "AGENT"],
];

function kindByName(name: string): SpanKind {
	if (name.startsWith("invoke_agent") || name.startsWith("agent run")) return "AGENT";
	if (name.startsWith("execute_tool")) return "TOOL";
	return name === "call_llm" ? "LLM" : "UNKNOWN";
}

import { readFacts } from "./facts.ts";
import { isObject, parseStructure, renderJson } from "./json.ts";
import type { Attributes, Message, Plain, RawValue, Semantic, SpanInput, TokenCounts } from "./model.ts";
import { conventionShown, readSemantic } from "./semantic.ts";

/**
 * Derives OpenInference's flat keys from a span of another convention, for clients that know only those; without the
 * keys that the span has itself. A list of messages, tools or documents that was sent is not extended. Empty for
 * OpenInference spans, except for session and user that were found under other names.
 * @param read the span's meaning, which is read only if something else may be derived
 */
export function toOpenInference(span: SpanInput, read: () => Semantic = () => readSemantic(span)): Map<string, Plain> {
	const derived = new Map<string, Plain>();
	const sent = span.attributes;
	const put = (key: string, value: Plain | undefined): void => {
		if (value !== undefined && !sent.has(key)) derived.set(key, value);
	};
	const facts = readFacts(span.name, span.scopeName, sent);
	const convention = conventionShown(facts, sent);
	if (convention === "plain") return derived;
	put("session.id", facts.session_id);
	put("user.id", facts.user_id);
	if (convention === "openinference") return derived;
	const semantic = read();
	put("openinference.span.kind", semantic.kind === "UNKNOWN" ? undefined : semantic.kind);
	putModel(semantic, put);
	putTokens(semantic.tokens, put);
	putValue("input", semantic.input, semantic.input_text, put);
	putValue("output", semantic.output, semantic.output_text, put);
	putMessages(sent, "llm.input_messages", semantic.input_messages, put);
	putMessages(sent, "llm.output_messages", semantic.output_messages, put);
	putTools(sent, semantic, put);
	putDocuments(sent, semantic, put);
	put("agent.name", semantic.agent_name);
	put("llm.finish_reason", semantic.kind === "LLM" ? semantic.finish_reason : undefined);
	put("llm.prompt_template.template", semantic.prompt_template?.template);
	put("llm.prompt_template.version", semantic.prompt_template?.version);
	put("llm.prompt_template.variables", jsonText(semantic.prompt_template?.variables));
	put("metadata", hasNamespace(sent, "metadata") ? undefined : jsonText(semantic.metadata));
	put("tag.tags", semantic.tags);
	return derived;
}

type Put = (key: string, value: Plain | undefined) => void;

function putModel(semantic: Semantic, put: Put): void {
	if (semantic.kind === "EMBEDDING") {
		put("embedding.model_name", semantic.model);
		put("embedding.invocation_parameters", jsonText(semantic.invocation_parameters));
	} else {
		put("llm.model_name", semantic.model);
		put("llm.invocation_parameters", jsonText(semantic.invocation_parameters));
	}
	if (semantic.provider !== undefined) {
		const { provider, system } = openInferenceProvider(semantic.provider);
		put("llm.provider", provider);
		put("llm.system", system);
	}
	if (semantic.cost?.source !== "sent") return;
	put("llm.cost.total", semantic.cost.total);
	put("llm.cost.prompt", semantic.cost.prompt);
	put("llm.cost.completion", semantic.cost.completion);
}

/**
 * OpenInference distinguishes the host (`llm.provider`) and the maker of the model (`llm.system`), with its own names.
 */
function openInferenceProvider(sent: string): { provider: string; system: string | undefined } {
	const name = sent.toLowerCase().replaceAll("_", "");
	for (const [pattern, provider, system] of PROVIDERS) if (pattern.test(name)) return { provider, system };
	return { provider: sent, system: sent };
}

const PROVIDERS: readonly (readonly [RegExp, string, string | undefined])[] = [
	[/^az(ure)?\b.*openai/, "azure", "openai"],
	[/^az(ure)?\b/, "azure", undefined],
	[/bedrock|^aws\b/, "aws", undefined],
	[/^(gcp|google|vertex|gemini)/, "google", "vertexai"],
	[/^openai\b/, "openai", "openai"],
	[/^anthropic\b/, "anthropic", "anthropic"],
	[/^mistral/, "mistralai", "mistralai"],
	[/^cohere\b/, "cohere", "cohere"],
	[/^xai\b/, "xai", "xai"],
	[/^deepseek\b/, "deepseek", "deepseek"],
];

function putTokens(tokens: TokenCounts | undefined, put: Put): void {
	put("llm.token_count.prompt", tokens?.prompt);
	put("llm.token_count.completion", tokens?.completion);
	put("llm.token_count.total", tokens?.total);
	put("llm.token_count.prompt_details.cache_read", tokens?.cache_read);
	put("llm.token_count.prompt_details.cache_write", tokens?.cache_write);
	put("llm.token_count.completion_details.reasoning", tokens?.reasoning);
}

function putValue(side: "input" | "output", raw: RawValue | undefined, text: string | undefined, put: Put): void {
	const value = raw === undefined ? text : typeof raw.value === "string" ? raw.value : renderJson(raw.value);
	if (value === undefined) return;
	put(`${side}.value`, value);
	put(
		`${side}.mime_type`,
		raw?.mime ?? (raw !== undefined && parseStructure(value) !== undefined ? "application/json" : "text/plain"),
	);
}

function putMessages(sent: Attributes, prefix: string, messages: readonly Message[] | undefined, put: Put): void {
	if (messages === undefined || hasNamespace(sent, prefix)) return;
	for (const [index, message] of messages.entries()) putMessage(`${prefix}.${index}.message`, message, put);
}

function putMessage(key: string, message: Message, put: Put): void {
	put(`${key}.role`, message.role);
	put(`${key}.name`, message.name);
	put(`${key}.tool_call_id`, message.tool_call_id);
	const images = message.image_urls ?? [];
	if (images.length === 0) put(`${key}.content`, message.text);
	else {
		let part = 0;
		if (message.text !== undefined) {
			put(`${key}.contents.${part}.message_content.type`, "text");
			put(`${key}.contents.${part++}.message_content.text`, message.text);
		}
		for (const url of images) {
			put(`${key}.contents.${part}.message_content.type`, "image");
			put(`${key}.contents.${part++}.message_content.image.image.url`, url);
		}
	}
	for (const [index, call] of (message.tool_calls ?? []).entries()) {
		const start = `${key}.tool_calls.${index}.tool_call`;
		put(`${start}.id`, call.id);
		put(`${start}.function.name`, call.name);
		put(`${start}.function.arguments`, jsonText(call.arguments));
	}
}

function putTools(sent: Attributes, semantic: Semantic, put: Put): void {
	put("tool.name", semantic.tool?.name);
	put("tool.description", semantic.tool?.description);
	put("tool_call.id", semantic.tool?.call_id);
	put("tool.parameters", jsonText(semantic.tool?.parameters));
	if (semantic.tool_schemas === undefined || hasNamespace(sent, "llm.tools")) return;
	for (const [index, schema] of semantic.tool_schemas.entries())
		put(`llm.tools.${index}.tool.json_schema`, jsonText(schema));
}

function putDocuments(sent: Attributes, semantic: Semantic, put: Put): void {
	if (semantic.documents !== undefined && !hasNamespace(sent, "retrieval.documents")) {
		for (const [index, document] of semantic.documents.entries()) {
			const start = `retrieval.documents.${index}.document`;
			put(`${start}.id`, document.id);
			put(`${start}.content`, document.content);
			put(`${start}.score`, document.score);
			put(`${start}.metadata`, jsonText(document.metadata));
		}
	}
	if (semantic.embeddings?.texts === undefined || hasNamespace(sent, "embedding.embeddings")) return;
	for (const [index, text] of semantic.embeddings.texts.entries()) {
		put(`embedding.embeddings.${index}.embedding.text`, text);
	}
}

/** Whether the list or object `prefix` was sent, as one attribute or as several. */
function hasNamespace(sent: Attributes, prefix: string): boolean {
	if (sent.has(prefix)) return true;
	for (const key of sent.keys()) if (key.startsWith(prefix) && key.charAt(prefix.length) === ".") return true;
	return false;
}

function jsonText(value: Plain | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string") return value;
	return isObject(value) && Object.keys(value).length === 0 ? "{}" : renderJson(value);
}

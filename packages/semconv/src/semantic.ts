import { compact } from "./compact.ts";
import type { Content } from "./conventions/convention.ts";
import { READERS } from "./conventions/convention-of.ts";
import { readOpenInferenceContent } from "./conventions/openinference.ts";
import { readOtherContent } from "./conventions/other-content.ts";
import { readFacts } from "./facts.ts";
import { inputText, lastAnswer, lastQuestion, lastRequest, outputText } from "./human-text.ts";
import type { Attributes, Convention, Message, Semantic, SpanFacts, SpanInput } from "./model.ts";
import { readError } from "./span-error.ts";
import { hasTokens } from "./token-counts.ts";
import { toolNames } from "./tool-definitions.ts";

/** The whole meaning of a span. Never throws; what was not sent is absent. */
export function readSemantic(span: SpanInput): Semantic {
	const facts = readFacts(span.name, span.scopeName, span.attributes);
	const content = readContent(span, facts);
	const texts = textsOf(content, facts);
	const details = READERS[facts.convention].readDetails(span, facts, content);
	const withTokens = hasTokens(facts.tokens);
	return compact<Semantic>({
		convention: conventionShown(facts, span.attributes),
		kind: facts.kind,
		kind_from: facts.kind_from,
		model: facts.model,
		request_model: facts.request_model,
		provider: facts.provider,
		tokens: Object.keys(facts.tokens).length > 0 ? facts.tokens : undefined,
		tokens_are_aggregate: withTokens ? facts.tokens_are_aggregate : undefined,
		cost: sentCost(facts),
		...details,
		tool_definitions: toolNames(details.tool_schemas),
		input: content.input,
		output: content.output,
		input_text: texts.input,
		output_text: texts.output,
		input_messages: withoutParts(content.input_messages),
		output_messages: withoutParts(content.output_messages),
		conversation: withoutParts(content.conversation),
		error: readError(span),
		session_id: facts.session_id,
		session_from: facts.session_from,
		user_id: facts.user_id,
		content_not_captured: isNotCaptured(facts, content) ? true : undefined,
	});
}

/** Parts repeat the texts and addresses of images. */
function withoutParts(messages: Message[] | undefined): Message[] | undefined {
	if (messages?.some(({ parts }) => parts !== undefined) !== true) return messages;
	return messages.map(({ parts: _, ...message }) => message);
}

/** The convention of the facts, unless only content, which facts do not read, shows it. */
export function conventionShown({ convention }: SpanFacts, attributes: Attributes): Convention {
	if (convention === "plain" && hasOpenInferenceContent(attributes)) return "openinference";
	const isIndexed = attributes.has("gen_ai.prompt.0.content") || attributes.has("gen_ai.completion.0.content");
	return convention === "genai" && isIndexed ? "genai-legacy-indexed" : convention;
}

/** Only the human-readable texts of a span's input and output. */
export function readTexts(span: SpanInput): { input?: string; output?: string } {
	const facts = readFacts(span.name, span.scopeName, span.attributes);
	return textsOf(readContent(span, facts), facts);
}

/** Content by the span's own convention, with OpenInference's keys as fallback. */
export function readContent(span: SpanInput, facts: SpanFacts): Content {
	const content = READERS[facts.convention].readContent(span, facts);
	if (facts.convention === "openinference" || hasContent(content)) return content;
	if (hasOpenInferenceContent(span.attributes)) return { ...readOpenInferenceContent(span.attributes), ...content };
	return { ...readOtherContent(span.attributes, facts), ...content };
}

function hasOpenInferenceContent(attributes: Attributes): boolean {
	return attributes.has("input.value") || attributes.has("output.value");
}

function hasContent(content: Content): boolean {
	return (
		content.input !== undefined ||
		content.output !== undefined ||
		content.input_messages !== undefined ||
		content.output_messages !== undefined
	);
}

function textsOf(content: Content, facts: SpanFacts): { input?: string; output?: string } {
	const { kind } = facts;
	if (kind === "LLM") {
		return compact<{ input?: string; output?: string }>({
			input:
				content.input_messages === undefined
					? inputText(content.input?.value, kind)
					: (lastRequest(content.input_messages) ?? lastQuestion(content.input_messages)),
			output:
				content.output_messages === undefined
					? outputText(content.output?.value, kind)
					: lastAnswer(content.output_messages),
		});
	}
	return compact<{ input?: string; output?: string }>({
		input:
			inputText(content.input?.value, kind) ??
			lastQuestion(content.input_messages) ??
			lastQuestion(content.conversation) ??
			content.embedded_texts?.join("\n"),
		output:
			outputText(content.output?.value, kind) ??
			lastAnswer(content.output_messages) ??
			lastAnswer(content.conversation),
	});
}

/** GenAI instrumentations record messages only if the application enables that. */
function isNotCaptured(facts: SpanFacts, content: Content): boolean {
	return facts.kind === "LLM" && facts.convention !== "openinference" && !hasContent(content);
}

function sentCost(facts: SpanFacts): Semantic["cost"] | undefined {
	const sent = facts.cost_sent;
	if (sent === undefined) return undefined;
	return compact<NonNullable<Semantic["cost"]>>({
		total: sent.total ?? (sent.prompt ?? 0) + (sent.completion ?? 0),
		prompt: sent.prompt,
		completion: sent.completion,
		source: "sent",
	});
}

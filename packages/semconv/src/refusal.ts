import { firstText, indexedEntries, textList, textValue } from "./attribute-values.ts";
import { compact } from "./compact.ts";
import { readGenAiEvents } from "./conventions/genai-events.ts";
import { field, isList, isObject, type PlainObject, parseStructure } from "./json.ts";
import type { Attributes, Plain, SpanInput, SpanKind } from "./model.ts";

/** A model, or a guard in front of it, did not answer. */
export interface Refusal {
	/** One of `REASONS`. */
	reason: string;
	/** What was said instead of an answer. */
	text?: string;
}

/**
 * Finish reasons of an answer that was withheld: OpenAI and Azure `content_filter`, Anthropic `refusal`, Gemini's
 * `FinishReason` and `BlockedReason` (`SAFETY`, `RECITATION`, …), Bedrock `guardrail_intervened` and `content_filtered`.
 */
const REASONS: ReadonlySet<string> = new Set([
	"content_filter",
	"safety",
	"refusal",
	"blocked",
	"prohibited_content",
	"recitation",
	"spii",
	"guardrail_intervened",
]);
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([["content_filtered", "content_filter"]]);

const REASON_LISTS = ["gen_ai.response.finish_reasons", "gen_ai.response.finish_reason"] as const;
const REASON_KEYS = [
	"llm.response.finish_reason",
	"llm.finish_reason",
	"ai.response.finishReason",
	"ai.finishReason",
	"anthropic.message.stop_reason",
] as const;
/** Of an answer, a choice or a message in providers' JSON. */
const REASON_MEMBERS = ["finish_reason", "finishReason", "stop_reason", "stopReason", "block_reason", "blockReason"];

/** Messages of any span, by the GenAI convention. */
const OUTPUT_MESSAGES = "gen_ai.output.messages";
/** Where the answer of a model call is, as its provider sent it. */
const OUTPUTS = [
	"output.value",
	"llm.output_messages",
	"langfuse.observation.output",
	"mlflow.spanOutputs",
	"traceloop.entity.output",
] as const;
const MAY_REFUSE = /refus|content[_-]filter|safety|blocked|prohibited|recitation|spii|guardrail/i;
const MAX_VALUES = 20_000;

/** Why a model did not answer; undefined where it did. Never throws. */
export function readRefusal(span: SpanInput, kind: SpanKind): Refusal | undefined {
	const reason = sentReason(span.attributes);
	const inContent = refusalInContent(span, kind);
	if (reason === undefined) return inContent;
	return compact<Refusal>({ reason, text: inContent?.text });
}

function sentReason(attributes: Attributes): string | undefined {
	const lists = REASON_LISTS.flatMap((key) => textList(attributes.get(key)) ?? []);
	const sent = REASON_KEYS.map((key) => firstText(attributes, [key]));
	const indexed = indexedEntries(attributes, "gen_ai.completion").map((entry) => entry.get("finish_reason"));
	for (const value of [...lists, ...sent, ...indexed]) {
		const reason = refusalReason(value);
		if (reason !== undefined) return reason;
	}
	return undefined;
}

/** Also `content-filter` of the Vercel AI SDK, and `FinishReason.SAFETY` and `FINISH_REASON_SAFETY` of Google's. */
function refusalReason(value: Plain | undefined): string | undefined {
	const text = textValue(value);
	if (text === undefined || text.length > 100) return undefined;
	const name = text
		.slice(text.lastIndexOf(".") + 1)
		.toLowerCase()
		.replaceAll("-", "_")
		.replace(/^(finish|block|blocked|stop)_reason_/, "");
	const reason = ALSO_CALLED.get(name) ?? name;
	return REASONS.has(reason) ? reason : undefined;
}

function refusalInContent(span: SpanInput, kind: SpanKind): Refusal | undefined {
	const values: Plain[] = [span.attributes.get(OUTPUT_MESSAGES) ?? null];
	for (const event of readGenAiEvents(span)) {
		if (event.name === "gen_ai.choice") values.push(event.data);
		else values.push(field(event.data, OUTPUT_MESSAGES) ?? null);
	}
	if (kind === "LLM") for (const key of OUTPUTS) values.push(span.attributes.get(key) ?? null);
	for (const value of values) {
		const refusal = refusalIn(value);
		if (refusal !== undefined) return refusal;
	}
	return indexedRefusal(span.attributes);
}

/** Breadth first, without recursion, in a limited number of values. */
function refusalIn(sent: Plain): Refusal | undefined {
	if (typeof sent === "string" && !MAY_REFUSE.test(sent)) return undefined;
	const value = typeof sent === "string" ? parseStructure(sent) : sent;
	const queue: Plain[] = value === undefined ? [] : [value];
	for (let next = 0; next < queue.length && next < MAX_VALUES; next++) {
		const current = queue[next] ?? null;
		if (isObject(current)) {
			const refusal = refusalOf(current);
			if (refusal !== undefined) return refusal;
		}
		const inner = isList(current) ? current : isObject(current) ? Object.values(current) : [];
		for (const item of inner) {
			if (queue.length >= MAX_VALUES) break;
			if (typeof item === "object" && item !== null) queue.push(item);
		}
	}
	return undefined;
}

/** A part of the type `refusal`, a message with the member `refusal`, or an object with a finish reason. */
function refusalOf(object: PlainObject): Refusal | undefined {
	const text = textValue(field(object, "refusal"));
	if (text !== undefined) return { reason: "refusal", text };
	if (field(object, "type") === "refusal") {
		return compact<Refusal>({
			reason: "refusal",
			text: textValue(field(object, "text")) ?? textValue(field(object, "content")),
		});
	}
	for (const member of REASON_MEMBERS) {
		const reason = refusalReason(field(object, member));
		if (reason !== undefined) return { reason };
	}
	return undefined;
}

const CONTENT_TYPE = ".message_content.type";

/** OpenInference's parts, with a key for each member; Traceloop's `gen_ai.completion.0.refusal`. */
function indexedRefusal(attributes: Attributes): Refusal | undefined {
	for (const [key, value] of attributes) {
		if (key.startsWith("llm.output_messages.") && key.endsWith(CONTENT_TYPE) && value === "refusal") {
			const part = key.slice(0, -"type".length);
			return compact<Refusal>({
				reason: "refusal",
				text: firstText(attributes, [`${part}text`, `${part}refusal`]),
			});
		}
		if (key.startsWith("gen_ai.completion.") && key.endsWith(".refusal")) {
			const text = textValue(value);
			if (text !== undefined) return { reason: "refusal", text };
		}
	}
	return undefined;
}

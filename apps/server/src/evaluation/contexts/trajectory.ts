import type { SpanKind } from "@spanward/semconv";
import type { UnderstoodSpan } from "#storage/traces/decode-span.ts";
import { errorOf, jsonText, toolCallsOf } from "./span-values.ts";

/** The steps of an agent as text: what models said, which tools were called and what they gave, what was found. */

const SHOWN: ReadonlySet<SpanKind> = new Set(["LLM", "TOOL", "RETRIEVER", "RERANKER", "GUARDRAIL"]);

/** @param spans of one trace, by start */
export function trajectoryText(spans: readonly UnderstoodSpan[]): string {
	const wrappers = wrappersOfModels(spans);
	return spans
		.filter(({ summary }) => SHOWN.has(summary.kind) && !wrappers.has(summary.id))
		.map((span, at) => `${at + 1}. ${stepText(span)}`)
		.join("\n");
}

function stepText(span: UnderstoodSpan): string {
	const { summary, meaning } = span;
	const error = errorOf(span);
	const failed = error === null ? "" : ` failed: ${error.message}`;
	if (summary.kind === "LLM") {
		const calls = toolCallsOf(span).map(({ name, arguments: given }) => `→ ${name ?? "tool"}(${jsonText(given)})`);
		const said = [...(meaning.output_text === undefined ? [] : [meaning.output_text]), ...calls].join(" ");
		return `model ${summary.model ?? summary.name}: ${said}${failed}`;
	}
	if (summary.kind === "TOOL") {
		const [call] = toolCallsOf(span);
		const result = error === null ? ` → ${jsonText(call?.result ?? null)}` : failed;
		return `tool ${call?.name ?? summary.name}(${jsonText(call?.arguments ?? {})})${result}`;
	}
	const { documents = [] } = meaning;
	if (documents.length > 0) {
		const found = documents.map(({ id, content = "" }, at) => `   [${id ?? at + 1}] ${content}`);
		return `${summary.kind.toLowerCase()} ${summary.name}: ${meaning.input_text ?? ""} → ${documents.length} documents${failed}\n${found.join("\n")}`;
	}
	const given = meaning.input_text ?? "";
	return `${summary.kind.toLowerCase()} ${summary.name}: ${given}${meaning.output_text === undefined ? "" : ` → ${meaning.output_text}`}${failed}`;
}

/** Spans of models below which is another one of a model: frameworks record one call as both. */
function wrappersOfModels(spans: readonly UnderstoodSpan[]): ReadonlySet<number> {
	const bySpanId = new Map(spans.map((span) => [span.summary.spanId, span]));
	const wrappers = new Set<number>();
	for (const { summary } of spans) {
		if (summary.kind !== "LLM") continue;
		const seen = new Set<number>([summary.id]);
		let above = bySpanId.get(summary.parentSpanId ?? "");
		while (above !== undefined && !seen.has(above.summary.id)) {
			seen.add(above.summary.id);
			if (above.summary.kind === "LLM") wrappers.add(above.summary.id);
			above = bySpanId.get(above.summary.parentSpanId ?? "");
		}
	}
	return wrappers;
}

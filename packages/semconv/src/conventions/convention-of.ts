import type { Attributes, Convention } from "../model.ts";
import type { ConventionReader } from "./convention.ts";
import { genai } from "./genai.ts";
import { GENAI_MARKERS, INDEXED_MARKERS } from "./genai-kind.ts";
import { langfuse } from "./langfuse.ts";
import { mlflow } from "./mlflow.ts";
import { openinference } from "./openinference.ts";
import { plain } from "./plain.ts";
import { traceloop } from "./traceloop.ts";
import { vercelAiSdk } from "./vercel-ai-sdk.ts";

export const READERS: Readonly<Record<Convention, ConventionReader>> = {
	openinference,
	genai,
	"genai-legacy-indexed": genai,
	traceloop,
	"vercel-ai-sdk": vercelAiSdk,
	langfuse,
	mlflow,
	plain,
};

const OPENINFERENCE_MARKERS = [
	"llm.model_name",
	"llm.token_count.prompt",
	"llm.token_count.completion",
	"llm.token_count.total",
	"embedding.model_name",
	"input.mime_type",
	"output.mime_type",
] as const;
const LANGFUSE_MARKERS = ["langfuse.observation.model.name", "langfuse.observation.usage_details"] as const;
const MLFLOW_MARKERS = ["mlflow.traceRequestId"] as const;
const TRACELOOP_MARKERS = ["llm.request.type", "traceloop.entity.name", "traceloop.workflow.name"] as const;

/** Every key that distinguishes conventions, without content, which ingest would have to decode. */
export const CONVENTION_KEYS: readonly string[] = [
	"openinference.span.kind",
	"langfuse.observation.type",
	"mlflow.spanType",
	"ai.operationId",
	"operation.name",
	"traceloop.span.kind",
	...INDEXED_MARKERS,
	...GENAI_MARKERS,
	...OPENINFERENCE_MARKERS,
	...LANGFUSE_MARKERS,
	...MLFLOW_MARKERS,
	...TRACELOOP_MARKERS,
];

/** The convention of a span; if it has several, the most informative one. */
export function conventionOf(attributes: Attributes): Convention {
	if (attributes.size === 0) return "plain";
	if (typeof attributes.get("openinference.span.kind") === "string") return "openinference";
	if (attributes.has("langfuse.observation.type")) return "langfuse";
	if (attributes.has("mlflow.spanType")) return "mlflow";
	if (attributes.has("ai.operationId") || isAiOperation(attributes)) return "vercel-ai-sdk";
	if (attributes.has("traceloop.span.kind")) return "traceloop";
	if (hasAny(attributes, INDEXED_MARKERS)) return "genai-legacy-indexed";
	if (hasAny(attributes, GENAI_MARKERS)) return "genai";
	if (hasAny(attributes, OPENINFERENCE_MARKERS)) return "openinference";
	if (hasAny(attributes, LANGFUSE_MARKERS)) return "langfuse";
	if (hasAny(attributes, MLFLOW_MARKERS)) return "mlflow";
	return hasAny(attributes, TRACELOOP_MARKERS) ? "traceloop" : "plain";
}

function isAiOperation(attributes: Attributes): boolean {
	const name = attributes.get("operation.name");
	return typeof name === "string" && name.startsWith("ai.");
}

function hasAny(attributes: Attributes, keys: readonly string[]): boolean {
	for (const key of keys) if (attributes.has(key)) return true;
	return false;
}

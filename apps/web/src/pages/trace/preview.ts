import type { SpanDetail } from "@spanward/client";
import type { Json } from "../../ui/content/json-value.ts";
import type { ChatMessage } from "../../ui/content/message.ts";

type WireSemantic = SpanDetail["semantic"];
type Documents = NonNullable<WireSemantic["documents"]>;

/** The parts of a span's preview, in order. */
export type PreviewPart =
	| { readonly part: "error"; readonly error: NonNullable<WireSemantic["error"]> }
	| { readonly part: "not-captured"; readonly convention: string }
	| { readonly part: "tool"; readonly tool: NonNullable<WireSemantic["tool"]> }
	| { readonly part: "messages"; readonly title: PreviewTitle; readonly messages: readonly ChatMessage[] }
	| { readonly part: "value"; readonly title: PreviewTitle; readonly value: Json; readonly text: string | undefined }
	| { readonly part: "documents"; readonly documents: Documents }
	| { readonly part: "embeddings"; readonly embeddings: NonNullable<WireSemantic["embeddings"]> }
	| { readonly part: "prompt-template"; readonly template: NonNullable<WireSemantic["prompt_template"]> }
	| { readonly part: "nothing" };

export type PreviewTitle = "input" | "output" | "arguments" | "result" | "query" | "conversation";

/** The parts from a span's meaning alone, the same for every convention. */
export function previewParts(semantic: WireSemantic): PreviewPart[] {
	const parts: PreviewPart[] = [];
	const { kind, error, tool, documents, embeddings, prompt_template: template } = semantic;
	if (error) parts.push({ part: "error", error });
	if (semantic.content_not_captured) parts.push({ part: "not-captured", convention: semantic.convention });
	if (kind === "TOOL" && tool) parts.push({ part: "tool", tool });
	if (template) parts.push({ part: "prompt-template", template });
	const titles = titlesOf(kind);

	const inputMessages = asMessages(semantic.input_messages);
	const outputMessages = asMessages(semantic.output_messages);
	const conversation = asMessages(semantic.conversation);
	if (inputMessages) parts.push({ part: "messages", title: "input", messages: inputMessages });
	// For an embedding, the texts are the input, and the vectors the output.
	else if (!embeddings?.texts?.length) pushValue(parts, titles.input, semantic.input?.value, semantic.input_text);
	if (embeddings) parts.push({ part: "embeddings", embeddings });
	if (documents && documents.length > 0) parts.push({ part: "documents", documents });
	if (outputMessages) parts.push({ part: "messages", title: "output", messages: outputMessages });
	// A retriever's raw output repeats its documents.
	else if (!(kind === "RETRIEVER" && documents?.length) && !(kind === "EMBEDDING" && embeddings)) {
		pushValue(parts, titles.output, semantic.output?.value, semantic.output_text);
	}
	if (conversation && !inputMessages) parts.push({ part: "messages", title: "conversation", messages: conversation });

	const says = (part: PreviewPart) => part.part !== "error" && part.part !== "tool";
	if (!parts.some(says)) parts.push({ part: "nothing" });
	return parts;
}

function titlesOf(kind: string): { input: PreviewTitle; output: PreviewTitle } {
	if (kind === "TOOL") return { input: "arguments", output: "result" };
	if (kind === "RETRIEVER") return { input: "query", output: "output" };
	return { input: "input", output: "output" };
}

function pushValue(parts: PreviewPart[], title: PreviewTitle, value: unknown, text: string | undefined): void {
	if (value !== undefined && value !== null) parts.push({ part: "value", title, value: value as Json, text });
	else if (text !== undefined) parts.push({ part: "value", title, value: text, text: undefined });
}

function asMessages(messages: WireSemantic["input_messages"]): readonly ChatMessage[] | undefined {
	return messages && messages.length > 0 ? (messages as readonly ChatMessage[]) : undefined;
}

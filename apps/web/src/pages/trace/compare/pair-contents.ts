import type { SpanDetail } from "@spanward/client";
import { traceTexts } from "../../../texts/trace-en.ts";
import { formatJson, type Json } from "../../../ui/content/json-value.ts";
import type { ChatMessage } from "../../../ui/content/message.ts";
import { type PreviewPart, previewParts } from "../preview.ts";
import { toText } from "./pair-facts.ts";

/** A part of what two spans say, as conversations where both have one, else as texts. */
export type PairContent =
	| {
			readonly title: string;
			readonly messages: { readonly left: readonly ChatMessage[]; readonly right: readonly ChatMessage[] };
	  }
	| { readonly title: string; readonly left: string | undefined; readonly right: string | undefined };

/** The parts of the previews of two spans, those with the same title beside each other. */
export function pairContents(left: SpanDetail | undefined, right: SpanDetail | undefined): PairContent[] {
	const lefts = partsByTitle(left);
	const rights = partsByTitle(right);
	return [...new Set([...lefts.keys(), ...rights.keys()])].map((title) => {
		const [ofLeft, ofRight] = [lefts.get(title), rights.get(title)];
		const messages = (part: PreviewPart | undefined) => (part?.part === "messages" ? part.messages : undefined);
		if ((messages(ofLeft) ?? messages(ofRight)) && isNoneOr(ofLeft, "messages") && isNoneOr(ofRight, "messages")) {
			return { title, messages: { left: messages(ofLeft) ?? [], right: messages(ofRight) ?? [] } };
		}
		return { title, left: partText(ofLeft), right: partText(ofRight) };
	});
}

function isNoneOr(part: PreviewPart | undefined, kind: PreviewPart["part"]): boolean {
	return part === undefined || part.part === kind;
}

function partsByTitle(detail: SpanDetail | undefined): ReadonlyMap<string, PreviewPart> {
	if (!detail) return new Map();
	return new Map(
		previewParts(detail.semantic).flatMap((part) => {
			const title = titleOf(part);
			return title === undefined ? [] : [[title, part] as const];
		}),
	);
}

function titleOf(part: PreviewPart): string | undefined {
	const { section } = traceTexts;
	switch (part.part) {
		case "messages":
		case "value":
			return section[part.title];
		case "error":
			return section.error;
		case "tool":
			return section.tool;
		case "documents":
			return section.documents;
		case "embeddings":
			return section.embeddings;
		case "prompt-template":
			return section.promptTemplate;
		default:
			return undefined;
	}
}

function partText(part: PreviewPart | undefined): string | undefined {
	switch (part?.part) {
		case "messages":
			return formatJson(part.messages as unknown as Json);
		case "value":
			return part.text ?? toText(part.value);
		case "error":
			return [part.error.type, part.error.message, part.error.stacktrace].filter(Boolean).join("\n");
		case "tool":
			return formatJson({ ...part.tool, call_id: null } as Json);
		case "documents":
			return formatJson(part.documents as Json);
		case "embeddings":
			return formatJson(part.embeddings as Json);
		case "prompt-template":
			return formatJson(part.template as Json);
		default:
			return undefined;
	}
}

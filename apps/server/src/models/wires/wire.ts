import type { OpenConnection } from "../connection.ts";

/** What is spoken with a provider: Chat Completions, Responses, Messages, `generateContent`, or Converse. */
export type Wire = "chat" | "responses" | "messages" | "gemini" | "converse";

export function wireOf({ kind, api }: Pick<OpenConnection, "kind" | "api">): Wire {
	switch (kind) {
		case "openai":
		case "openai_compatible":
		case "azure_openai":
			return api === "responses" ? "responses" : "chat";
		case "anthropic":
			return "messages";
		case "google":
		case "google_vertex":
			return "gemini";
		case "aws_bedrock":
			return "converse";
	}
}

/** As sentences for people name them. */
export const WIRE_NAMES: Readonly<Record<Wire, string>> = {
	chat: "Chat Completions",
	responses: "the Responses API",
	messages: "Anthropic's Messages API",
	gemini: "Gemini",
	converse: "Bedrock's Converse API",
};

/** A sentence about what a wire has no word for. */
export function notSaid(what: string, wire: Wire): string {
	return `\`${what}\` is not sent: ${WIRE_NAMES[wire]} does not have it.`;
}

/** Models of Anthropic on Bedrock, by their names and those of their inference profiles. */
export function isClaude(model: string): boolean {
	return /anthropic\.|claude/.test(model);
}

import type { PromptVersion } from "@spanward/client";
import { fromMessageDraft, type VariantDraft } from "./playground-draft.ts";

type Provider = PromptVersion["model_provider"];

const PROVIDERS: Readonly<Record<string, Provider>> = {
	openai: "OPENAI",
	openai_compatible: "OPENAI",
	azure_openai: "AZURE_OPENAI",
	anthropic: "ANTHROPIC",
	google: "GOOGLE",
	google_vertex: "GOOGLE",
	aws_bedrock: "AWS",
};

const FAMILIES: Partial<Record<Provider, VariantDraft["parametersType"]>> = {
	ANTHROPIC: "anthropic",
	GOOGLE: "google",
	AWS: "aws",
};

/** Names of the limit of an answer's tokens, which Anthropic's versions have to have. */
const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
const DEFAULT_LIMIT = 4_096;

/**
 * A column as the body of a new version of a prompt. Images and reasoning stay out. Parameters that are another provider's than the
 * connection's are not taken over, as a version has those of its provider.
 * @param kind of the column's connection
 */
export function versionOf(
	variant: VariantDraft,
	kind: string | undefined,
	description: string,
): Record<string, unknown> {
	const provider = PROVIDERS[kind ?? ""] ?? "OPENAI";
	const family = FAMILIES[provider] ?? "openai";
	const given = parsed(variant.parameters) ?? {};
	const parameters = family === variant.parametersType ? given : limitOf(given, family);
	const tools = parsed(variant.tools);
	const responseFormat = parsed(variant.responseFormat);
	return {
		...(description.trim() === "" ? {} : { description: description.trim() }),
		model_provider: provider,
		model_name: variant.model.trim(),
		template: {
			type: "chat",
			messages: variant.messages.map((message) => fromMessageDraft({ ...message, images: [], reasoning: [] })),
		},
		template_type: "CHAT",
		template_format: variant.format,
		invocation_parameters: {
			type: family,
			[family]: family === "anthropic" ? { max_tokens: DEFAULT_LIMIT, ...parameters } : parameters,
		},
		...(tools === undefined ? {} : { tools }),
		...(responseFormat === undefined ? {} : { response_format: responseFormat }),
	};
}

function limitOf(
	parameters: Readonly<Record<string, unknown>>,
	family: VariantDraft["parametersType"],
): Record<string, unknown> {
	const limit = LIMITS.map((name) => parameters[name]).find((value) => typeof value === "number");
	const name = family === "google" ? "max_output_tokens" : "max_tokens";
	return limit === undefined ? {} : { [name]: limit };
}

/** Undefined for an empty text. */
function parsed(text: string): Record<string, unknown> | undefined {
	return text.trim() === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

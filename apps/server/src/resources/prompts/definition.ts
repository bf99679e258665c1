import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import { fromJsonText, toJsonText } from "#http/json-values.ts";
import type { InvocationParameters, ModelProvider } from "#models/definition-schemas.ts";
import type { PromptVersion, PromptVersionData } from "./schemas.ts";

type GivenParameters = z.output<typeof InvocationParameters>;
type Variant = GivenParameters["type"];
type Given = z.output<typeof PromptVersionData>;

/** The part of a version that is stored as JSON, as it is answered. */
export type Definition = Pick<
	z.output<typeof PromptVersion>,
	"template" | "template_type" | "template_format" | "invocation_parameters" | "tools" | "response_format"
>;

const VARIANTS: Readonly<Record<ModelProvider, Variant>> = {
	OPENAI: "openai",
	AZURE_OPENAI: "azure_openai",
	ANTHROPIC: "anthropic",
	GOOGLE: "google",
	DEEPSEEK: "deepseek",
	XAI: "xai",
	OLLAMA: "ollama",
	AWS: "aws",
	CEREBRAS: "cerebras",
	FIREWORKS: "fireworks",
	GROQ: "groq",
	MOONSHOT: "moonshot",
	MINIMAX: "openai",
	PERPLEXITY: "perplexity",
	TOGETHER: "together",
	ZAI: "zai",
	META: "meta",
};

/**
 * The stored text of a new version's definition.
 * @throws UserError 422 for a template that is not a chat, and for parameters of another provider
 */
export function toDefinitionText(version: Given): string {
	const { template, template_format, tools, response_format } = version;
	if (version.template_type !== "CHAT" || template.type !== "chat") {
		throw new UserError(422, "template_type", "Only CHAT template type is supported for prompts");
	}
	const definition: Definition = {
		template,
		template_type: "CHAT",
		template_format,
		invocation_parameters: toStored(version.model_provider, version.invocation_parameters),
		...(tools ? { tools } : {}),
		...(response_format ? { response_format } : {}),
	};
	return toJsonText(definition);
}

/** Parameters with the members of OpenAI's are stored as OpenAI's, so that a version can be sent as it was read. */
function toStored(provider: ModelProvider, given: GivenParameters): Definition["invocation_parameters"] {
	const expected = VARIANTS[provider];
	const stored = asStored(given);
	const isOpenAILike = stored.type === "openai" && !["anthropic", "google", "aws"].includes(expected);
	if (given.type === expected || (given.type === "openai" && isOpenAILike)) return stored;
	const message = `Invocation parameters variant '${given.type}' does not match model provider '${provider}' (expected '${expected}').`;
	throw new UserError(422, "invocation_parameters_mismatch", message);
}

function asStored(given: GivenParameters): Definition["invocation_parameters"] {
	switch (given.type) {
		case "anthropic":
		case "google":
		case "aws":
		case "openai":
			return given;
		case "azure_openai":
			return { type: "openai", openai: given.azure_openai };
		case "deepseek":
			return { type: "openai", openai: given.deepseek };
		case "xai":
			return { type: "openai", openai: given.xai };
		case "ollama":
			return { type: "openai", openai: given.ollama };
		case "cerebras":
			return { type: "openai", openai: given.cerebras };
		case "fireworks":
			return { type: "openai", openai: given.fireworks };
		case "groq":
			return { type: "openai", openai: given.groq };
		case "moonshot":
			return { type: "openai", openai: given.moonshot };
		case "perplexity":
			return { type: "openai", openai: given.perplexity };
		case "together":
			return { type: "openai", openai: given.together };
		case "zai":
			return { type: "openai", openai: given.zai };
		case "meta":
			return { type: "openai", openai: given.meta };
	}
}

/**
 * Parses a text of {@link toDefinitionText}. Each message's content comes as parts, whichever way it was sent: LiteLLM's
 * prompt manager reads nothing else.
 */
export function fromDefinitionText(text: string): Definition {
	const definition = fromJsonText(text) as Definition;
	const { template } = definition;
	if (template.type !== "chat") return definition;
	const messages = template.messages.map(({ role, content }) => ({
		role,
		content: typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
	}));
	return { ...definition, template: { ...template, messages } };
}

import type { ConnectionKind, ConnectionSettings } from "./connection.ts";

/** An address that is known for a kind, offered when a connection is made. */
export interface ConnectionPreset {
	readonly id: string;
	readonly name: string;
	readonly kind: ConnectionKind;
	readonly baseUrl: string;
	/** A provider without accounts, which runs where its user started it. */
	readonly needsKey: boolean;
	/** The name that `/v1/secrets` usually has its key under. */
	readonly secretName?: string;
}

export const CONNECTION_PRESETS: readonly ConnectionPreset[] = [
	{
		id: "openai",
		name: "OpenAI",
		kind: "openai",
		baseUrl: "https://api.openai.com/v1",
		needsKey: true,
		secretName: "OPENAI_API_KEY",
	},
	{
		id: "anthropic",
		name: "Anthropic",
		kind: "anthropic",
		baseUrl: "https://api.anthropic.com/v1",
		needsKey: true,
		secretName: "ANTHROPIC_API_KEY",
	},
	{
		id: "google",
		name: "Google Gemini",
		kind: "google",
		baseUrl: "https://generativelanguage.googleapis.com/v1beta",
		needsKey: true,
		secretName: "GEMINI_API_KEY",
	},
	compatible("vllm", "vLLM", "http://localhost:8000/v1"),
	compatible("ollama", "Ollama", "http://localhost:11434/v1"),
	compatible("litellm", "LiteLLM", "http://localhost:4000/v1", "LITELLM_API_KEY"),
	compatible("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
	compatible("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
	compatible("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
	compatible("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
	compatible("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
	compatible("together", "Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
	compatible("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
	compatible("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
	compatible("perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
	compatible("moonshot", "Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
];

function compatible(id: string, name: string, baseUrl: string, secretName?: string): ConnectionPreset {
	return {
		id,
		name,
		kind: "openai_compatible",
		baseUrl,
		needsKey: baseUrl.startsWith("https:"),
		...(secretName === undefined ? {} : { secretName }),
	};
}

/**
 * Where requests of a kind go when no address is given; undefined where there is none, or where a setting that is part
 * of it is missing or cannot be part of a host.
 */
export function defaultBaseUrl(kind: ConnectionKind, settings: ConnectionSettings): string | undefined {
	switch (kind) {
		case "openai":
		case "anthropic":
		case "google":
			return CONNECTION_PRESETS.find((preset) => preset.kind === kind)?.baseUrl;
		case "google_vertex":
			return vertexOrigin(settings.location);
		case "aws_bedrock":
			return bedrockOrigin(settings.region);
		case "openai_compatible":
		case "azure_openai":
			return undefined;
	}
}

/** Of the hosts of these names a location or region is one label. */
const LABEL = /^[a-z][a-z0-9-]{0,62}$/;

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
function vertexOrigin(location = ""): string | undefined {
	if (!LABEL.test(location)) return;
	if (location === "global") return "https://aiplatform.googleapis.com";
	if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`;
	return `https://${location}-aiplatform.googleapis.com`;
}

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
function bedrockOrigin(region = ""): string | undefined {
	if (!LABEL.test(region)) return;
	return `https://bedrock-runtime.${region}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`;
}

import type { ConnectionKind } from "#models/connection.ts";
import type { ModelProvider } from "#models/definition-schemas.ts";

interface Connection {
	readonly kind: ConnectionKind;
	readonly base_url: string | null;
}

/** How people call them. */
export const PROVIDER_NAMES: Readonly<Record<ModelProvider, string>> = {
	OPENAI: "OpenAI",
	AZURE_OPENAI: "Azure OpenAI",
	ANTHROPIC: "Anthropic",
	GOOGLE: "Google",
	DEEPSEEK: "DeepSeek",
	XAI: "xAI",
	OLLAMA: "Ollama",
	AWS: "AWS Bedrock",
	CEREBRAS: "Cerebras",
	FIREWORKS: "Fireworks",
	GROQ: "Groq",
	MOONSHOT: "Moonshot",
	MINIMAX: "MiniMax",
	PERPLEXITY: "Perplexity",
	TOGETHER: "Together",
	ZAI: "Z.ai",
	META: "Meta",
};

const OF_KIND: Readonly<Record<Exclude<ConnectionKind, "openai_compatible">, ModelProvider>> = {
	openai: "OPENAI",
	azure_openai: "AZURE_OPENAI",
	anthropic: "ANTHROPIC",
	google: "GOOGLE",
	google_vertex: "GOOGLE",
	aws_bedrock: "AWS",
};

/** Those that speak OpenAI's API, by the end of their host's name. */
const HOSTS: readonly (readonly [string, ModelProvider])[] = [
	["deepseek.com", "DEEPSEEK"],
	["x.ai", "XAI"],
	["cerebras.ai", "CEREBRAS"],
	["fireworks.ai", "FIREWORKS"],
	["groq.com", "GROQ"],
	["moonshot.ai", "MOONSHOT"],
	["moonshot.cn", "MOONSHOT"],
	["minimax.io", "MINIMAX"],
	["minimaxi.com", "MINIMAX"],
	["perplexity.ai", "PERPLEXITY"],
	["together.xyz", "TOGETHER"],
	["together.ai", "TOGETHER"],
	["z.ai", "ZAI"],
	["bigmodel.cn", "ZAI"],
	["llama.com", "META"],
];

/** Where Ollama listens unless it is told otherwise. */
const OLLAMA_PORT = "11434";

/** The provider that a connection leads to; undefined for a server that only speaks like one. */
export function modelProviderOf({ kind, base_url: address }: Connection): ModelProvider | undefined {
	if (kind !== "openai_compatible") return OF_KIND[kind];
	if (address === null) return undefined;
	const { hostname, port } = new URL(address);
	if (port === OLLAMA_PORT) return "OLLAMA";
	return HOSTS.find(([end]) => hostname === end || hostname.endsWith(`.${end}`))?.[1];
}

/** The library that a kind is spoken to with, as released clients name it. */
export const SDK_OF_KIND = {
	openai: "openai",
	openai_compatible: "openai",
	azure_openai: "azure_openai",
	anthropic: "anthropic",
	google: "google_genai",
	google_vertex: "google_genai",
	aws_bedrock: "aws_bedrock",
} as const satisfies Readonly<Record<ConnectionKind, string>>;

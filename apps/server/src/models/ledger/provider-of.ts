import type { ConnectionKind } from "../connection.ts";
import type { ConnectionRow } from "../connections/stored-definition.ts";

/** As the price table and spans name them. */
const PROVIDERS: Readonly<Record<Exclude<ConnectionKind, "openai_compatible">, string>> = {
	openai: "openai",
	azure_openai: "azure",
	anthropic: "anthropic",
	google: "google",
	google_vertex: "google",
	aws_bedrock: "aws",
};

/** The providers behind well-known addresses, by the end of the host's name. */
const HOSTS: readonly (readonly [string, string])[] = [
	["openrouter.ai", "openrouter"],
	["api.groq.com", "groq"],
	["api.mistral.ai", "mistral"],
	["api.deepseek.com", "deepseek"],
	["api.x.ai", "xai"],
	["api.together.xyz", "together-ai"],
	["api.fireworks.ai", "fireworks"],
	["api.cerebras.ai", "cerebras"],
	["api.perplexity.ai", "perplexity"],
	["api.moonshot.ai", "moonshot"],
	["api.moonshot.cn", "moonshot"],
];

/** Who is paid for calls through a connection; undefined for a server of one's own. */
export function providerOf({ kind, base_url: baseUrl }: Pick<ConnectionRow, "kind" | "base_url">): string | undefined {
	if (kind !== "openai_compatible") return PROVIDERS[kind];
	const host = baseUrl === null ? "" : new URL(baseUrl).hostname;
	return HOSTS.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1];
}

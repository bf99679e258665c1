import type { IncomingCall, Wire } from "./call.ts";
import type { JsonObject } from "./json.ts";
import { anthropic } from "./wires/anthropic.ts";
import { bedrock } from "./wires/bedrock.ts";
import { gemini } from "./wires/gemini.ts";
import { openaiChat } from "./wires/openai-chat.ts";

/** Seconds since 1970 at which every model was made. */
const CREATED = 1_767_225_600;
const CREATED_AT = "2026-01-01T00:00:00Z";

export interface ModelList {
	/** Whose errors are answered. */
	readonly wire: Wire;
	readonly usual: readonly string[];
	readonly write: (names: readonly string[]) => JsonObject;
}

/** The list that a GET asks for, or undefined. */
export function findModelList({ path, headers }: Pick<IncomingCall, "path" | "headers">): ModelList | undefined {
	const provider = headers["anthropic-version"] === undefined ? undefined : "anthropic";
	return LISTS.find((list) => list.matches(path, headers["x-goog-api-key"] === undefined ? provider : "google"));
}

const LISTS: readonly (ModelList & {
	readonly matches: (path: string, provider: "anthropic" | "google" | undefined) => boolean;
})[] = [
	{
		matches: (path, provider) => path === "/v1beta/models" || (provider === "google" && path === "/v1/models"),
		wire: gemini,
		usual: ["gemini-2.5-flash", "gemini-2.5-pro"],
		write: (names) => ({ models: names.map(describeGemini) }),
	},
	{
		matches: (path) => /^\/v1(beta1)?\/(projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/models$/.test(path),
		wire: gemini,
		usual: ["gemini-2.5-flash", "gemini-2.5-pro"],
		write: (names) => ({ publisherModels: names.map((name) => ({ name: `publishers/google/models/${name}` })) }),
	},
	{
		matches: (path) => path === "/foundation-models",
		wire: bedrock,
		usual: ["amazon.nova-lite-v1:0", "anthropic.claude-haiku-4-5-20251001-v1:0"],
		write: (names) => ({ modelSummaries: names.map(describeFoundationModel) }),
	},
	{
		matches: (path) => path === "/inference-profiles",
		wire: bedrock,
		usual: ["us.amazon.nova-lite-v1:0"],
		write: (names) => ({
			inferenceProfileSummaries: names.map((inferenceProfileId) => ({ inferenceProfileId, status: "ACTIVE" })),
		}),
	},
	{
		matches: (path, provider) => provider === "anthropic" && path === "/v1/models",
		wire: anthropic,
		usual: ["claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929"],
		write: (names) => ({
			data: names.map((id) => ({ type: "model", id, display_name: id, created_at: CREATED_AT })),
			has_more: false,
			first_id: names[0] ?? null,
			last_id: names.at(-1) ?? null,
		}),
	},
	{
		matches: (path) => path.endsWith("/models"),
		wire: openaiChat,
		usual: ["gpt-4o-mini", "gpt-5-mini", "llama3.2:latest"],
		write: (names) => ({
			object: "list",
			data: names.map((id) => ({ id, object: "model", created: CREATED, owned_by: "library" })),
		}),
	},
];

function describeGemini(name: string): JsonObject {
	return {
		name: `models/${name}`,
		version: "001",
		displayName: name,
		inputTokenLimit: 1_048_576,
		outputTokenLimit: 65_536,
		supportedGenerationMethods: ["generateContent", "countTokens"],
	};
}

function describeFoundationModel(modelId: string): JsonObject {
	return {
		modelId,
		modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}`,
		modelName: modelId,
		providerName: modelId.split(".")[0] ?? "",
		inputModalities: ["TEXT", "IMAGE"],
		outputModalities: ["TEXT"],
		responseStreamingSupported: true,
		inferenceTypesSupported: ["ON_DEMAND"],
		modelLifecycle: { status: "ACTIVE" },
	};
}

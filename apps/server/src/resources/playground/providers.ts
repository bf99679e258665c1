import type { ConnectionKind } from "#models/connection.ts";

/** Whose parameters a call has: those of OpenAI are also those of all that are like it. */
export type Family = "openai" | "anthropic" | "google" | "aws";

const BY_PROVIDER: readonly (readonly [RegExp, Family, readonly ConnectionKind[]])[] = [
	[/azure/, "openai", ["azure_openai"]],
	[/bedrock|^aws|amazon/, "aws", ["aws_bedrock"]],
	[/anthropic/, "anthropic", ["anthropic"]],
	[/vertex/, "google", ["google_vertex", "google"]],
	[/google|gemini|gcp/, "google", ["google", "google_vertex"]],
	[/^openai/, "openai", ["openai"]],
];

const BY_MODEL: readonly (readonly [RegExp, Family, readonly ConnectionKind[]])[] = [
	[/^(?:[a-z]{2,6}\.)?(?:amazon|anthropic|meta|cohere|mistral|ai21)\./, "aws", ["aws_bedrock"]],
	[/claude/, "anthropic", ["anthropic"]],
	[/gemini/, "google", ["google", "google_vertex"]],
];

/** What a provider's name, or else a model's, as they were recorded, tell. */
export function providerOf(
	provider: string | undefined,
	model: string | undefined,
): { readonly family: Family; readonly kinds: readonly ConnectionKind[] } {
	const name = provider?.toLowerCase();
	const found =
		name === undefined
			? BY_MODEL.find(([pattern]) => pattern.test((model ?? "").toLowerCase()))
			: BY_PROVIDER.find(([pattern]) => pattern.test(name));
	if (found !== undefined) return { family: found[1], kinds: found[2] };
	return { family: "openai", kinds: name === undefined ? [] : ["openai_compatible"] };
}

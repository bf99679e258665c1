import type { PromptVersion } from "@spanward/client";
import type { Json } from "../../ui/content/json-value.ts";

/** The invocation parameters without their variant: `{type: "openai", openai: {…}}` → `{…}`. */
export function parametersOf({ invocation_parameters: parameters }: PromptVersion): Record<string, Json> {
	const held = (parameters as unknown as Record<string, unknown>)[parameters.type];
	return (held ?? {}) as Record<string, Json>;
}

/** The variant for a provider's parameters. */
export function variantOf(provider: PromptVersion["model_provider"]): string {
	switch (provider) {
		case "ANTHROPIC":
			return "anthropic";
		case "GOOGLE":
			return "google";
		case "AWS":
			return "aws";
		default:
			return "openai";
	}
}

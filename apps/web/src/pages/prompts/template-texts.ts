import type { PromptMessage, PromptVersion } from "@spanward/client";

/** The texts of a message that may contain variables. */
export function messageTexts({ content }: PromptMessage): string[] {
	if (typeof content === "string") return [content];
	return content.flatMap((part) => {
		if (part.type === "text") return [part.text];
		return part.type === "tool_call" ? [part.tool_call.arguments] : [];
	});
}

/** The texts of a version's template that may contain variables. */
export function templateTexts(version: PromptVersion): string[] {
	return version.template.messages.flatMap(messageTexts);
}

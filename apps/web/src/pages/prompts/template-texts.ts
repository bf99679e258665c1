import type { PromptMessage, PromptVersion } from "@spanward/client";

/** Every text of a message in which variables can stand. */
export function messageTexts({ content }: PromptMessage): string[] {
	if (typeof content === "string") return [content];
	return content.flatMap((part) => {
		if (part.type === "text") return [part.text];
		return part.type === "tool_call" ? [part.tool_call.arguments] : [];
	});
}

/** Every text of a version's template in which variables can stand. */
export function templateTexts(version: PromptVersion): string[] {
	return version.template.messages.flatMap(messageTexts);
}

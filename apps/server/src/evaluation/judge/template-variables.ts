import type { z } from "zod";
import type { PromptMessage } from "#models/definition-schemas.ts";
import { replaceVariables } from "#models/render-template.ts";

/** Formats of templates in which a judge's inputs have places. */
export type PlacingFormat = "MUSTACHE" | "F_STRING";
export type TemplateMessage = z.output<typeof PromptMessage>;

/** The variables of all texts, in order, with the number of their message. */
export function templateVariables(
	messages: readonly TemplateMessage[],
	format: PlacingFormat,
): readonly { readonly name: string; readonly message: number }[] {
	const variables: { name: string; message: number }[] = [];
	for (const [message, { content }] of messages.entries()) {
		for (const text of textsOf(content)) {
			replaceVariables(text, format, (name) => {
				variables.push({ name, message });
				return "";
			});
		}
	}
	return variables;
}

function textsOf(content: TemplateMessage["content"]): readonly string[] {
	if (typeof content === "string") return [content];
	return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

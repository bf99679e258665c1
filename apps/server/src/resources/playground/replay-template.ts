import type { SentRequest } from "@spanward/semconv";
import { toWirePlain } from "#http/wire-plain.ts";
import { hasVariables, RenderedTooLong, TemplateFiller } from "#models/render-template.ts";
import type { VariantContent } from "#models/variant.ts";
import type { Notes } from "./notes.ts";

type Messages = VariantContent["messages"];
type Format = NonNullable<VariantContent["template_format"]>;

interface Templated {
	readonly messages: Messages;
	readonly template_format: Format;
	readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * The messages with the recorded template in the place of the text that it becomes with the recorded variables. Where it
 * becomes none of the texts, they stay as they were sent, and their braces are no variables.
 */
export function replayTemplate(template: SentRequest["template"], messages: Messages, notes: Notes): Templated {
	const variables = variablesOf(template);
	const asSent = { messages, template_format: "NONE" as const, variables };
	const text = template?.text;
	if (text === undefined) return asSent;
	for (const format of ["MUSTACHE", "F_STRING"] as const) {
		const rendered = render(text, format, variables);
		if (rendered === undefined || !messages.some((message) => message.content === rendered)) continue;
		const others = messages.filter((message) => message.content !== rendered);
		// MUSTACHE has no way to write braces that are no variable.
		if (
			format === "MUSTACHE" &&
			others.some((message) => textsOf(message).some((each) => hasVariables(each, format)))
		) {
			continue;
		}
		const templated = messages.map((message) =>
			message.content === rendered ? { ...message, content: text } : withEscapedBraces(message, format),
		);
		return { messages: templated, template_format: format, variables };
	}
	notes.add(
		"A template was recorded, but no message is what it becomes with the recorded variables: they are as sent.",
	);
	return asSent;
}

/** Undefined where there are no variables, or one has no value. */
function render(text: string, format: Format, variables: Readonly<Record<string, unknown>>): string | undefined {
	if (!hasVariables(text, format)) return undefined;
	const filler = new TemplateFiller(format, variables);
	try {
		const rendered = filler.fill(text);
		return filler.missing.size > 0 ? undefined : rendered;
	} catch (error) {
		if (error instanceof RenderedTooLong) return undefined;
		throw error;
	}
}

function variablesOf(template: SentRequest["template"]): Readonly<Record<string, unknown>> {
	const wire = template?.variables === undefined ? undefined : toWirePlain(template.variables);
	return typeof wire === "object" && wire !== null && !Array.isArray(wire) ? { ...wire } : {};
}

function textsOf({ content }: Messages[number]): string[] {
	if (typeof content === "string") return [content];
	return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

function withEscapedBraces(message: Messages[number], format: Format): Messages[number] {
	if (format !== "F_STRING") return message;
	const { role, content } = message;
	if (typeof content === "string") return { role, content: escaped(content) };
	return {
		role,
		content: content.map((part) => (part.type === "text" ? { ...part, text: escaped(part.text) } : part)),
	};
}

function escaped(text: string): string {
	return text.replaceAll("{", "{{").replaceAll("}", "}}");
}

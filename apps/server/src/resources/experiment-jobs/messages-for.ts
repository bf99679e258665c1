import { readMessages } from "@spanward/semconv";
import { mapInputs } from "#evaluation/mapping.ts";
import type { ModelRequest } from "#models/model-request.ts";
import { RenderedTooLong, renderMessages } from "#models/render-template.ts";
import type { VariantContent } from "#models/variant.ts";
import { Notes } from "../playground/notes.ts";
import { replayMessages } from "../playground/replay-messages.ts";
import { besideMessages, type WrittenVariant } from "../playground/resolve-variants.ts";
import type { JobDefinition } from "./definition.ts";

/** What templates, mappings and paths find of an example. */
export interface ExampleContext {
	readonly input: Readonly<Record<string, unknown>>;
	readonly expected: Readonly<Record<string, unknown>>;
	readonly metadata: Readonly<Record<string, unknown>>;
}

/** What makes a run fail before anything is sent. */
export interface RunFault {
	readonly fault: { readonly code: string; readonly error: string };
}

/** The request that a variant makes of an example, or why it makes none. */
export function messagesFor(
	variant: WrittenVariant,
	definition: Pick<JobDefinition, "variables" | "append_messages">,
	example: ExampleContext,
): { readonly request: ModelRequest } | RunFault {
	const appended = appendedMessages(definition.append_messages, example);
	if ("fault" in appended) return appended;
	const rendered = render(variant.content, variablesOf(definition.variables, example));
	if ("fault" in rendered) return rendered;
	const messages = [...rendered.messages, ...appended.messages];
	return { request: { model: variant.model, messages, ...besideMessages(variant.content) } };
}

type Messages = { readonly messages: VariantContent["messages"] };

function variablesOf(mapping: JobDefinition["variables"], example: ExampleContext): Readonly<Record<string, unknown>> {
	if (mapping === undefined) return example.input;
	const inputs = Object.keys(mapping).map((name) => ({ name, required: false }));
	const { values } = mapInputs(inputs, mapping, { ...example });
	// What a path does not find is missing, and not the word null in a prompt.
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function render(content: VariantContent, variables: Readonly<Record<string, unknown>>): Messages | RunFault {
	try {
		const rendered = renderMessages(content, variables);
		if (!("missing" in rendered)) return rendered;
		const names = rendered.missing.join(", ");
		return fault("missing_variable", `The example has no value for ${names}: map it, or leave it out of the prompt.`);
	} catch (error) {
		if (error instanceof RenderedTooLong) return fault("too_long", error.message);
		throw error;
	}
}

function appendedMessages(path: string | undefined, example: ExampleContext): Messages | RunFault {
	if (path === undefined) return { messages: [] };
	const name = "messages";
	const { values, missing } = mapInputs([{ name, required: true }], { [name]: { path } }, { ...example });
	if (missing !== undefined) return fault("missing_messages", `There are no messages at ${path} of the example.`);
	const messages = readMessages(values[name] as Parameters<typeof readMessages>[0], "input");
	if (messages === undefined)
		return fault("missing_messages", `What is at ${path} of the example is no list of messages.`);
	return { messages: replayMessages(messages, new Notes()) };
}

function fault(code: string, error: string): RunFault {
	return { fault: { code, error } };
}

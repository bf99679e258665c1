import { type Message, readRequest, type SentRequest, type SpanInput } from "@spanward/semconv";
import type { z } from "zod";
import { Notes } from "./notes.ts";
import { type Family, providerOf } from "./providers.ts";
import { replayMessages } from "./replay-messages.ts";
import { replayParameters } from "./replay-parameters.ts";
import { replayTemplate } from "./replay-template.ts";
import { replayResponseFormat, replayTools } from "./replay-tools.ts";
import type { SourceVariant } from "./schemas.ts";

/** What can be sent again of a model call, without a connection. */
export interface Replay {
	readonly content: Omit<z.output<typeof SourceVariant>, "connection_id" | "model" | "label">;
	readonly model: string | undefined;
	readonly provider: string | undefined;
	readonly variables: Readonly<Record<string, unknown>>;
	readonly notCaptured: readonly string[];
}

/** The call of a span as a variant, by what was recorded of it; nothing is guessed. */
export function replaySpan(span: SpanInput): Replay {
	const request = readRequest(span);
	const { model, provider } = request;
	const notes = new Notes();
	if (model === undefined) notes.add("The model was not recorded.");
	if (provider === undefined) notes.add("The provider was not recorded.");
	const { messages: recorded = messagesOfInput(request, notes) } = request;
	const family: Family = providerOf(provider, model).family;
	const sent = replayMessages(recorded, notes);
	const { variables, messages, template_format } = replayTemplate(request.template, sent, notes);
	const content = {
		messages,
		template_format,
		tools: replayTools(request, notes),
		response_format: replayResponseFormat(request, notes),
		invocation_parameters: replayParameters(request, family, notes),
	};
	return { content, model, provider, variables, notCaptured: notes.toSentences() };
}

/** What the span was given, where nothing tells how that was sent to the model. */
function messagesOfInput({ input }: SentRequest, notes: Notes): readonly Message[] {
	if (input === undefined) {
		notes.add("The messages were not recorded.");
		return [];
	}
	notes.add("The messages were not recorded: the input of the span stands for them.");
	return [{ role: "user", text: input }];
}

import { firstText } from "./attribute-values.ts";
import type { Attributes, SpanFacts } from "./model.ts";

const SESSION_KEYS = [
	"session.id",
	"langfuse.session.id",
	"traceloop.association.properties.session_id",
	"traceloop.association.properties.sessionId",
	"traceloop.association.properties.session.id",
	"ai.telemetry.metadata.sessionId",
	"ai.telemetry.metadata.session_id",
	"ai.telemetry.metadata.session.id",
	"langsmith.metadata.session_id",
	"gcp.vertex.agent.session_id",
	"mlflow.trace.session",
	"metadata.session_id",
	"metadata.sessionId",
] as const;

const CONVERSATION_KEYS = [
	"gen_ai.conversation.id",
	"traceloop.association.properties.conversation_id",
	"traceloop.association.properties.thread_id",
	"traceloop.association.properties.chat_id",
	"langsmith.metadata.thread_id",
	"langsmith.metadata.conversation_id",
	"ai.telemetry.metadata.threadId",
	"ai.telemetry.metadata.conversationId",
	"ai.telemetry.metadata.chatId",
	"gen_ai.openai.thread.id",
] as const;

const USER_KEYS = [
	"user.id",
	"langfuse.user.id",
	"traceloop.association.properties.user_id",
	"traceloop.association.properties.userId",
	"traceloop.association.properties.user.id",
	"ai.telemetry.metadata.userId",
	"ai.telemetry.metadata.user_id",
	"ai.telemetry.metadata.user.id",
	"langsmith.metadata.user_id",
	"mlflow.trace.user",
	"metadata.user_id",
	"metadata.userId",
	"enduser.id",
	"gen_ai.request.user",
	"gen_ai.openai.request.user",
	"llm.user",
] as const;

export const IDENTITY_KEYS: readonly string[] = [...SESSION_KEYS, ...CONVERSATION_KEYS, ...USER_KEYS];

/** Adds session and user of a span; without a session id, a conversation or thread id is the session. */
export function readIdentity(attributes: Attributes, facts: SpanFacts): SpanFacts {
	const session = firstText(attributes, SESSION_KEYS);
	if (session !== undefined) facts.session_id = unquoted(session);
	else readConversation(attributes, facts);
	const user = firstText(attributes, USER_KEYS);
	if (user !== undefined) facts.user_id = unquoted(user);
	return facts;
}

function readConversation(attributes: Attributes, facts: SpanFacts): void {
	for (const key of CONVERSATION_KEYS) {
		const conversation = firstText(attributes, [key]);
		if (conversation === undefined) continue;
		facts.session_id = conversation;
		facts.session_from = key;
		return;
	}
}

/** MLflow sends every value as JSON, texts with their quotes. */
function unquoted(text: string): string {
	return text.length > 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

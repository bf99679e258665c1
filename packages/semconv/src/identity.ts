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
	"lmnr.association.properties.session_id",
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
	"lmnr.association.properties.user_id",
	"metadata.user_id",
	"metadata.userId",
	"enduser.id",
	"gen_ai.request.user",
	"gen_ai.openai.request.user",
	"llm.user",
] as const;

/** LiteLLM's callbacks: the session that a request names, or else a random id of the request (litellm 1.110). */
const LITELLM_TRACE = "litellm.trace_id";
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** What a caller of LiteLLM's proxy sent as metadata, as Python prints it. */
const LITELLM_METADATA = "metadata.requester_metadata";
const LITELLM_SESSION = /'session_id': '([^'\\]{1,512})'/;

export const IDENTITY_KEYS: readonly string[] = [
	...SESSION_KEYS,
	...CONVERSATION_KEYS,
	...USER_KEYS,
	LITELLM_TRACE,
	LITELLM_METADATA,
];

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
	readLiteLlm(attributes, facts);
}

function readLiteLlm(attributes: Attributes, facts: SpanFacts): void {
	const metadata = attributes.get(LITELLM_METADATA);
	const named = typeof metadata === "string" ? LITELLM_SESSION.exec(metadata)?.[1] : undefined;
	const trace = firstText(attributes, [LITELLM_TRACE]);
	if (named !== undefined) facts.session_id = named;
	else if (trace !== undefined && !RANDOM_UUID.test(trace)) {
		facts.session_id = trace;
		facts.session_from = LITELLM_TRACE;
	}
}

/** MLflow sends every value as JSON, texts with their quotes. */
function unquoted(text: string): string {
	return text.length > 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

import { firstText, textValue } from "./attribute-values.ts";
import { compact } from "./compact.ts";
import type { Attributes, Semantic, SpanInput } from "./model.ts";

type SpanError = NonNullable<Semantic["error"]>;

const STATUS_ERROR = 2;
const MESSAGE_KEYS = [
	"langfuse.observation.status_message",
	"error.message",
	"exception.message",
	"gen_ai.error.message",
	"ai.error.message",
	"error",
	"error.type",
] as const;
const TYPE_KEYS = ["error.type", "exception.type", "gen_ai.error.type"] as const;

/** Why a span failed; undefined unless its status is ERROR, even if it recorded exceptions. */
export function readError(span: SpanInput): SpanError | undefined {
	if (span.statusCode !== STATUS_ERROR) return undefined;
	const exception = exceptionOf(span);
	const sent =
		textValue(exception?.get("exception.message")) ??
		textValue(span.statusMessage) ??
		firstText(span.attributes, MESSAGE_KEYS);
	return compact<SpanError>({
		type: textValue(exception?.get("exception.type")) ?? firstText(span.attributes, TYPE_KEYS),
		message: sent === undefined ? undefined : withoutTraceback(sent),
		stacktrace:
			textValue(exception?.get("exception.stacktrace")) ?? firstText(span.attributes, ["exception.stacktrace"]),
		exception_event: exception !== undefined,
		raw_status_message: span.statusMessage === "" ? undefined : span.statusMessage,
	});
}

/** The last recorded exception is the one that ended the span. */
function exceptionOf(span: SpanInput): Attributes | undefined {
	return span.events.findLast((event) => event.name === "exception")?.attributes;
}

const TRACEBACK = "Traceback (most recent call last)";

/** Some libraries append, or only send, a Python traceback; its last line says what happened. */
function withoutTraceback(message: string): string {
	const start = message.indexOf(TRACEBACK);
	if (start < 0) return message;
	const before = message.slice(0, start).trim();
	if (before !== "") return before;
	return message.trimEnd().split("\n").at(-1)?.trim() ?? message;
}

import { type Failure, lastPartOfType } from "./failure.ts";
import { compareBy, FINGERPRINT_VERSION, fingerprintOf, guardrailName, toolName } from "./fingerprint.ts";
import type { Culprit, GroupingOptions, Occurrence, TraceSpan } from "./model.ts";
import { type ProviderError, readProviderError } from "./provider-error.ts";
import { shownLine, shownText } from "./shown-text.ts";
import { readStack } from "./stack/read-stack.ts";

const MAX_TITLE = 200;
const MAX_NAME = 200;
const MAX_MESSAGE = 2_000;
const MAX_PART = 1_000;
const MAX_FRAMES = 50;

/** What is stored of a failure, and shown of its group. */
export function toOccurrence(span: TraceSpan, failure: Failure, options: GroupingOptions): Occurrence {
	const provider = failure.kind === "provider_error" ? readProviderError(failure) : undefined;
	const frames = failure.stack === "" ? [] : readStack(failure.stack, options.ownCode ?? []);
	const comparison = compareBy(failure, provider, frames);
	return {
		spanId: span.spanId,
		startTimeUnixNano: span.startTimeUnixNano,
		kind: failure.kind,
		fingerprint: fingerprintOf(failure.kind, comparison),
		version: FINGERPRINT_VERSION,
		title: shownLine(titleOf(failure, provider), MAX_TITLE),
		message: shownText(failure.message, MAX_MESSAGE),
		...(failure.type === "" ? {} : { type: shownLine(failure.type, MAX_NAME) }),
		culprit: culpritOf(failure, provider),
		grouping: {
			rule: comparison.rule,
			parts: comparison.parts.map(({ name, value }) => ({ name, value: shownText(value, MAX_PART) })),
			normalized_message: shownText(failure.normalizedMessage, MAX_PART),
			frames: frames.slice(0, MAX_FRAMES),
		},
	};
}

/** `openai 429 rate_limit_exceeded`, `search: ValueError: no rooms`, `content_filter`, `ValueError: no rooms`. */
function titleOf(failure: Failure, provider: ProviderError | undefined): string {
	const { kind, message, semantic, spanName } = failure;
	switch (kind) {
		case "refusal":
			return joined([failure.reason, guardrailName(failure)], ": ");
		case "provider_error": {
			const { status, code } = provider ?? {};
			const what = joined([provider?.provider ?? semantic.provider, status, code], " ");
			return code === undefined && status !== "timeout" ? joined([what, message], ": ") : what || spanName;
		}
		case "tool_failure":
			return joined([toolName(failure), ...described(failure)], ": ");
		case "exception":
			return joined(described(failure), ": ") || spanName;
		case "error":
			return joined([spanName, message], ": ");
	}
}

/** Many clients begin the message with the type. */
function described({ type, message }: Failure): string[] {
	const name = lastPartOfType(type);
	const rest = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
	return [name, rest];
}

/** Parts are cut before they are joined; any may be of many megabytes. */
function joined(parts: readonly (string | undefined)[], separator: string): string {
	return parts
		.map((part) => shownLine(part ?? "", MAX_TITLE))
		.filter((part) => part !== "")
		.join(separator);
}

function culpritOf(failure: Failure, provider: ProviderError | undefined): Culprit {
	const { semantic, kind } = failure;
	const culprit: Culprit = { span_name: shownLine(failure.spanName, MAX_NAME) };
	const set = (name: Exclude<keyof Culprit, "span_name">, value: string | undefined): void => {
		const shown = shownLine(value ?? "", MAX_NAME);
		if (shown !== "") culprit[name] = shown;
	};
	set("tool", kind === "tool_failure" ? toolName(failure) : semantic.tool?.name);
	set("provider", provider?.provider || semantic.provider);
	set("model", semantic.model);
	set("status", provider?.status);
	set("code", provider?.code ?? failure.reason);
	return culprit;
}

// Input and output under the names of libraries whose spans otherwise follow another convention, or none:
// Laminar (https://docs.lmnr.ai/tracing/otel) and Logfire (https://logfire.pydantic.dev/docs/reference/sql/#records-columns).
import { firstSent } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import type { Attributes, RawValue, SpanFacts } from "../model.ts";
import type { Content } from "./convention.ts";

export function readOtherContent(attributes: Attributes, { kind }: SpanFacts): Content {
	return compact<Content>({
		// Logfire's message is what a person reads of a span that is about nothing else.
		input: raw(attributes, "lmnr.span.input") ?? (kind === "UNKNOWN" ? raw(attributes, "logfire.msg") : undefined),
		output: raw(attributes, "lmnr.span.output"),
	});
}

function raw(attributes: Attributes, key: string): RawValue | undefined {
	const sent = firstSent(attributes, [key]);
	return sent === undefined ? undefined : { attribute: key, value: sent.value };
}

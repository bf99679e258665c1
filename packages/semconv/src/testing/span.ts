import type { Attributes, Plain, SpanInput } from "../model.ts";

/** A successful span with the given attributes, events and log records. */
export function span(
	attributes: Record<string, Plain>,
	more: {
		name?: string;
		scopeName?: string;
		statusCode?: number;
		statusMessage?: string;
		events?: readonly { name: string; attributes?: Record<string, Plain> }[];
		logs?: readonly { eventName: string; body?: Plain; attributes?: Record<string, Plain> }[];
	} = {},
): SpanInput {
	return {
		name: more.name ?? "span",
		scopeName: more.scopeName ?? "test",
		statusCode: more.statusCode ?? 0,
		statusMessage: more.statusMessage ?? "",
		attributes: toMap(attributes),
		events: (more.events ?? []).map((event) => ({ name: event.name, attributes: toMap(event.attributes ?? {}) })),
		logs: (more.logs ?? []).map((log) => ({
			eventName: log.eventName,
			body: log.body ?? null,
			attributes: toMap(log.attributes ?? {}),
		})),
	};
}

function toMap(attributes: Record<string, Plain>): Attributes {
	return new Map(Object.entries(attributes));
}

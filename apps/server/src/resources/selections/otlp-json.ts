import type { AnyValue, KeyValue, Resource, Scope } from "@spanward/otlp";
import { exactDouble } from "#http/exact-json.ts";
import { type DecodedSpan, decodeStoredSpan } from "#storage/traces/decode-span.ts";
import type { StoredSpan } from "#storage/traces/trace-store.ts";

/**
 * An `ExportTraceServiceRequest` in OTLP/JSON with all these spans, a chunk at a time. Neighbours of the same resource
 * and scope share one entry.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export async function* otlpJson(chunks: AsyncIterable<readonly StoredSpan[]>): AsyncGenerator<string> {
	yield '{"resourceSpans":[';
	let isFirst = true;
	for await (const stored of chunks) {
		const entries = groupsOf(stored).map((group) => JSON.stringify(toResourceSpans(group.map(decodeStoredSpan))));
		if (entries.length === 0) continue;
		yield (isFirst ? "\n" : ",\n") + entries.join(",\n");
		isFirst = false;
	}
	yield "\n]}\n";
}

function groupsOf(stored: readonly StoredSpan[]): StoredSpan[][] {
	const groups: StoredSpan[][] = [];
	for (const span of stored) {
		const group = groups.at(-1);
		const last = group?.at(-1);
		if (group !== undefined && last !== undefined && isOfSameScope(last, span)) group.push(span);
		else groups.push([span]);
	}
	return groups;
}

function isOfSameScope({ content: a }: StoredSpan, { content: b }: StoredSpan): boolean {
	return (
		a.resourceSchemaUrl === b.resourceSchemaUrl &&
		a.scopeSchemaUrl === b.scopeSchemaUrl &&
		Buffer.compare(a.resource, b.resource) === 0 &&
		Buffer.compare(a.scope, b.scope) === 0
	);
}

function toResourceSpans(spans: readonly DecodedSpan[]): object {
	const [first] = spans;
	if (first === undefined) throw new Error("a group of spans is empty");
	return {
		resource: toResource(first.resource),
		...(first.resourceSchemaUrl === "" ? {} : { schemaUrl: first.resourceSchemaUrl }),
		scopeSpans: [
			{
				scope: toScope(first.scope),
				...(first.scopeSchemaUrl === "" ? {} : { schemaUrl: first.scopeSchemaUrl }),
				spans: spans.map(toSpan),
			},
		],
	};
}

function toResource({ attributes, droppedAttributesCount, entityRefs }: Resource): object {
	return {
		attributes: attributes.map(toKeyValue),
		...dropped({ droppedAttributesCount }),
		...(entityRefs === undefined ? {} : { entityRefs }),
	};
}

function toScope({ name, version, attributes, droppedAttributesCount }: Scope): object {
	return {
		name,
		...(version === "" ? {} : { version }),
		...(attributes.length === 0 ? {} : { attributes: attributes.map(toKeyValue) }),
		...dropped({ droppedAttributesCount }),
	};
}

function toSpan({ summary, span }: DecodedSpan): object {
	return {
		traceId: summary.traceId,
		spanId: summary.spanId,
		...(summary.parentSpanId === null ? {} : { parentSpanId: summary.parentSpanId }),
		...(span.traceState === "" ? {} : { traceState: span.traceState }),
		...(span.flags === 0 ? {} : { flags: span.flags }),
		name: span.name,
		kind: span.kind,
		startTimeUnixNano: String(span.startTimeUnixNano),
		endTimeUnixNano: String(span.endTimeUnixNano),
		attributes: span.attributes.map(toKeyValue),
		...dropped({ droppedAttributesCount: span.droppedAttributesCount }),
		events: span.events.map((event) => ({
			timeUnixNano: String(event.timeUnixNano),
			name: event.name,
			attributes: event.attributes.map(toKeyValue),
			...dropped({ droppedAttributesCount: event.droppedAttributesCount }),
		})),
		...dropped({ droppedEventsCount: span.droppedEventsCount }),
		links: span.links.map((link) => ({
			traceId: link.traceId,
			spanId: link.spanId,
			...(link.traceState === "" ? {} : { traceState: link.traceState }),
			attributes: link.attributes.map(toKeyValue),
			...dropped({ droppedAttributesCount: link.droppedAttributesCount, flags: link.flags }),
		})),
		...dropped({ droppedLinksCount: span.droppedLinksCount }),
		status: { code: span.status.code, ...(span.status.message === "" ? {} : { message: span.status.message }) },
	};
}

function toKeyValue({ key, value }: KeyValue): object {
	return { key, value: toAnyValue(value) };
}

function toAnyValue(value: AnyValue): object {
	switch (value.type) {
		case "empty":
			return {};
		case "string":
			return { stringValue: value.value };
		case "bool":
			return { boolValue: value.value };
		case "int":
			return { intValue: String(value.value) };
		case "double":
			return { doubleValue: exactDouble(value.value) };
		case "bytes":
			return { bytesValue: Buffer.from(value.value).toString("base64") };
		case "array":
			return { arrayValue: { values: value.value.map(toAnyValue) } };
		case "kvlist":
			return { kvlistValue: { values: value.value.map(toKeyValue) } };
	}
}

/** The counts that are not 0, which is what an absent one means. */
function dropped(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
	return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

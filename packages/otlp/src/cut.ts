import { CUT_ATTRIBUTE } from "./drop-surplus.ts";
import type { SpanLimits } from "./limits.ts";
import type { AnyValue, KeyValue, LogRecord, Resource, Scope, Span } from "./model.ts";

const MOST_CUT_KEYS = 100;

interface Attributed {
	readonly attributes: readonly KeyValue[];
}

/**
 * Truncates the long values of a span (in events and links, too) at a character, and lists their keys in
 * `spanward.cut`.
 */
export function cutSpan(span: Span, limits: SpanLimits): Span {
	const cut = new Set<string>();
	return withCutKeys(
		{
			...cutAttributes(span, limits, cut),
			events: span.events.map((event) => cutAttributes(event, limits, cut)),
			links: span.links.map((link) => cutAttributes(link, limits, cut)),
		},
		cut,
	);
}

/** As `cutSpan`, for a resource. */
export function cutResource(resource: Resource, limits: SpanLimits): Resource {
	const cut = new Set<string>();
	return withCutKeys(cutAttributes(resource, limits, cut), cut);
}

/** As `cutSpan`, for a scope. */
export function cutScope(scope: Scope, limits: SpanLimits): Scope {
	const cut = new Set<string>();
	return withCutKeys(cutAttributes(scope, limits, cut), cut);
}

/** As `cutSpan`, for a log record; a truncated body is listed as `body`. */
export function cutLogRecord(record: LogRecord, limits: SpanLimits): LogRecord {
	const cut = new Set<string>();
	const body = cutValue(record.body, limits.attributeBytes);
	if (body !== record.body) cut.add("body");
	return withCutKeys({ ...cutAttributes(record, limits, cut), body }, cut);
}

function cutAttributes<T extends Attributed>(owner: T, limits: SpanLimits, cut: Set<string>): T {
	return {
		...owner,
		attributes: owner.attributes.map((attribute) => {
			const value = cutValue(attribute.value, limits.attributeBytes);
			if (value === attribute.value) return attribute;
			cut.add(attribute.key);
			return { key: attribute.key, value };
		}),
	};
}

/** Returns the same object when nothing in it is too long. */
function cutValue(value: AnyValue, limit: number): AnyValue {
	switch (value.type) {
		case "string": {
			const text = cutText(value.value, limit);
			return text === value.value ? value : { type: "string", value: text };
		}
		case "bytes":
			return value.value.byteLength <= limit ? value : { type: "bytes", value: value.value.subarray(0, limit) };
		case "array": {
			const items = value.value.map((item) => cutValue(item, limit));
			return items.every((item, index) => item === value.value[index]) ? value : { type: "array", value: items };
		}
		case "kvlist": {
			const entries = value.value.map((entry) => {
				const inner = cutValue(entry.value, limit);
				return inner === entry.value ? entry : { key: entry.key, value: inner };
			});
			return entries.every((entry, index) => entry === value.value[index]) ? value : { type: "kvlist", value: entries };
		}
		default:
			return value;
	}
}

/** The longest prefix of whole characters with at most `limit` bytes of UTF-8. */
export function cutText(text: string, limit: number): string {
	// A UTF-16 unit takes at most three bytes.
	if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
	const bytes = Buffer.from(text.slice(0, limit + 1));
	let end = limit;
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
	return bytes.toString("utf8", 0, end);
}

function withCutKeys<T extends Attributed>(owner: T, cut: ReadonlySet<string>): T {
	if (cut.size === 0) return owner;
	const earlier = owner.attributes.findLast(({ key }) => key === CUT_ATTRIBUTE)?.value;
	const keys = new Set(
		earlier?.type === "array" ? earlier.value.flatMap((item) => (item.type === "string" ? [item.value] : [])) : [],
	);
	for (const key of cut) keys.add(key);
	const value: AnyValue = {
		type: "array",
		value: [...keys].slice(0, MOST_CUT_KEYS).map((key) => ({ type: "string", value: key })),
	};
	return {
		...owner,
		attributes: [...owner.attributes.filter(({ key }) => key !== CUT_ATTRIBUTE), { key: CUT_ATTRIBUTE, value }],
	};
}

import { SPAN_KINDS, type SpanKind } from "@spanward/semconv";
import type { z } from "zod";
import { UserError } from "#base/errors.ts";
import { joinTexts, type ParsedFilterParam, parseFilter } from "#http/filter-param.ts";
import type { AttributeEquals, SpanFilter } from "#storage/traces/trace-store.ts";
import { statusNumber } from "./narrow-views.ts";
import type { OtlpSpanListQuery } from "./schemas.ts";

type SpanFilterParams = Omit<z.output<typeof OtlpSpanListQuery>, "cursor" | "limit">;

/** A parsed filter for spans, with warnings about probable mistakes in its expression. */
export interface ParsedSpanFilter {
	readonly filter: SpanFilter;
	readonly warnings: ParsedFilterParam["warnings"];
}

/**
 * The filter in the query parameters of a list of spans.
 * @throws UserError 422 naming unknown values, 400 for a filter expression that cannot be parsed
 */
export function toSpanFilter(query: SpanFilterParams): ParsedSpanFilter {
	const { condition, text: words, warnings } = parseFilter("span", query.filter);
	const filter: { -readonly [Key in keyof SpanFilter]: SpanFilter[Key] } = {};
	if (query.start_time !== undefined) filter.startMicros = query.start_time;
	if (query.end_time !== undefined) filter.endMicros = query.end_time;
	if (query.trace_id !== undefined) filter.traceIds = query.trace_id;
	if (query.span_id !== undefined) filter.spanIds = query.span_id;
	if (query.parent_id !== undefined) filter.parentSpanId = query.parent_id === "null" ? null : query.parent_id;
	if (query.name !== undefined) filter.names = query.name;
	if (query.span_kind !== undefined) filter.kinds = toKinds(query.span_kind);
	if (query.status_code !== undefined) filter.statusCodes = toStatusCodes(query.status_code);
	if (query.attribute !== undefined) filter.attributes = query.attribute.map(toAttributeEquals);
	if (query.error !== undefined) filter.error = query.error;
	if (query.min_latency_ms !== undefined) filter.minLatencyMs = query.min_latency_ms;
	if (query.max_latency_ms !== undefined) filter.maxLatencyMs = query.max_latency_ms;
	if (query.user_id !== undefined) filter.userIds = query.user_id;
	if (query.session_id !== undefined) filter.sessionIds = query.session_id;
	if (query.model !== undefined) filter.models = query.model;
	const text = joinTexts(query.q, words);
	if (text !== undefined) filter.text = text;
	if (condition !== undefined) filter.condition = condition;
	return { filter, warnings };
}

function toKinds(values: readonly string[]): SpanKind[] {
	const kinds = values.map((value) => SPAN_KINDS.find((kind) => kind === value.toUpperCase()));
	return known("span_kind", values, kinds);
}

function toStatusCodes(values: readonly string[]): number[] {
	return known("status_code", values, values.map(statusNumber));
}

function known<T>(
	name: "span_kind" | "status_code",
	values: readonly string[],
	found: readonly (T | undefined)[],
): T[] {
	const unknown = values.filter((_, index) => found[index] === undefined);
	if (unknown.length > 0) {
		const list = unknown.map((value) => `'${value.slice(0, 100)}'`).join(", ");
		throw new UserError(422, `invalid_${name}`, `Invalid ${name} values: [${list}]`);
	}
	return found.filter((value) => value !== undefined);
}

/** `key:value`, cut at the first colon; the value is JSON when it parses as JSON, else text. */
function toAttributeEquals(text: string): AttributeEquals {
	const colon = text.indexOf(":");
	const key = text.slice(0, Math.max(0, colon)).trim();
	const raw = text.slice(colon + 1);
	if (colon === -1 || key === "" || raw === "") {
		throw invalidAttribute(text, "it has to be key:value with both filled");
	}
	const value = parseScalar(raw);
	if (typeof value === "string" || typeof value === "boolean") return { key, value };
	if (typeof value === "number" && Number.isFinite(value)) return { key, value };
	throw invalidAttribute(text, "the value has to be a text, a number, true or false");
}

function parseScalar(raw: string): unknown {
	try {
		return JSON.parse(raw);
	} catch (error) {
		if (error instanceof SyntaxError) return raw;
		throw error;
	}
}

function invalidAttribute(text: string, why: string): UserError {
	return new UserError(422, "invalid_attribute", `Invalid attribute filter '${text.slice(0, 100)}': ${why}`);
}

import type { NormalizedSpan } from "../span-batch.ts";
import { type SummedCost, toSummedCost } from "./cost-pico.ts";
import { kindNumber } from "./span-kinds.ts";

/** What totals need of a span, stored or in the current batch. */
export interface SpanNode {
	readonly id: number;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly startMicros: number;
	readonly startNanos: number;
	readonly endMicros: number;
	readonly endNanos: number;
	/** It has no end yet: its end is its start. */
	readonly isRunning: boolean;
	readonly name: string;
	readonly kind: number;
	readonly statusCode: number;
	readonly model: string | null;
	/** By convention its tokens repeat those of descendants: never counted. */
	readonly aggregate: boolean;
	/** A stored descendant has usage; all stored ancestors then have this mark, too. */
	usageBelow: boolean;
	readonly prompt: number;
	readonly completion: number;
	readonly total: number;
	readonly cost: SummedCost | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	/** Row number of the key that it came with. */
	readonly apiKeyId: number | null;
	/** Present on spans of the current batch. */
	readonly source?: NormalizedSpan;
}

/** Bits of `spans.flags`. */
const HAS_USAGE = 1;
export const USAGE_BELOW = 2;
const AGGREGATE = 4;
export const RUNNING = 8;

export const USAGE_FLAGS = HAS_USAGE | USAGE_BELOW;
/** A condition on a row of `spans`: whether it has no end. */
export function runningSql(row: string): string {
	return `(${row}.flags & ${RUNNING} <> 0 or ${row}.end_micros = 0)`;
}

/** Tokens and costs of a span with one of these are not added up: they are those of its descendants, or repeat them. */
export const UNCOUNTED_FLAGS = USAGE_BELOW | AGGREGATE;

export function flagsOf(node: SpanNode): number {
	return (
		(hasUsage(node) ? HAS_USAGE : 0) |
		(node.usageBelow ? USAGE_BELOW : 0) |
		(node.aggregate ? AGGREGATE : 0) |
		(node.isRunning ? RUNNING : 0)
	);
}

export function isAggregate(flags: number): boolean {
	return (flags & AGGREGATE) !== 0;
}

export function isRunning(flags: number): boolean {
	return (flags & RUNNING) !== 0;
}

export function hasUsageBelow(flags: number): boolean {
	return (flags & USAGE_BELOW) !== 0;
}

/**
 * Whether the span's tokens repeat those of descendants, by convention or because a descendant has tokens of its own.
 */
export function repeatsDescendants(flags: number): boolean {
	return isAggregate(flags) || (flags & USAGE_FLAGS) === USAGE_FLAGS;
}

export function hasUsage(node: SpanNode): boolean {
	return !node.aggregate && (node.prompt > 0 || node.completion > 0 || node.total > 0);
}

/** Whether the span's tokens and cost count in totals, so that nothing counts twice. */
export function counts(node: SpanNode): boolean {
	return !node.aggregate && !node.usageBelow;
}

/**
 * Whether the same span with an end takes the place of this one. Without the flag, it was stored by a version that took
 * an absent end for 1970.
 */
export function awaitsEnd(node: SpanNode): boolean {
	return node.isRunning || (node.endMicros === 0 && node.endNanos === 0);
}

/** By start, then span id, so that the order of arrival does not matter. */
export function startsBefore(a: SpanNode, b: SpanNode): boolean {
	if (a.startMicros !== b.startMicros) return a.startMicros < b.startMicros;
	if (a.startNanos !== b.startNanos) return a.startNanos < b.startNanos;
	return a.spanId < b.spanId;
}

export function endsAfter(a: SpanNode, b: SpanNode): boolean {
	if (a.endMicros !== b.endMicros) return a.endMicros > b.endMicros;
	if (a.endNanos !== b.endNanos) return a.endNanos > b.endNanos;
	return startsBefore(b, a) && a !== b;
}

export function toNode(id: number, span: NormalizedSpan): SpanNode {
	const { tokens } = span.facts;
	const prompt = tokens.prompt ?? 0;
	const completion = tokens.completion ?? 0;
	return {
		id,
		spanId: span.spanId,
		parentSpanId: span.parentSpanId,
		startMicros: span.start.micros,
		startNanos: span.start.nanos,
		endMicros: span.end.micros,
		endNanos: span.end.nanos,
		isRunning: span.isRunning,
		name: span.name,
		kind: kindNumber(span.facts.kind),
		statusCode: span.statusCode,
		model: span.facts.model ?? null,
		aggregate: span.facts.tokens_are_aggregate,
		usageBelow: false,
		prompt,
		completion,
		total: tokens.total ?? prompt + completion,
		cost: span.cost === null ? null : toSummedCost(span.cost.total),
		sessionId: span.facts.session_id ?? null,
		userId: span.facts.user_id ?? null,
		release: span.facts.release ?? null,
		environment: span.facts.environment ?? null,
		apiKeyId: span.apiKeyId ?? null,
		source: span,
	};
}

export interface NodeRow {
	readonly id: number;
	readonly span_id: Uint8Array;
	readonly parent_span_id: Uint8Array | null;
	readonly start_micros: number;
	readonly start_nanos: number;
	readonly end_micros: number;
	readonly end_nanos: number;
	readonly name: string;
	readonly kind: number;
	readonly status_code: number;
	readonly model: string | null;
	readonly flags: number;
	readonly tokens_prompt: number | null;
	readonly tokens_completion: number | null;
	readonly tokens_total: number | null;
	readonly cost_total: number | null;
	readonly session_id: string | null;
	readonly user_id: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly api_key_id: number | null;
}

export const NODE_COLUMNS =
	"id, span_id, parent_span_id, start_micros, start_nanos, end_micros, end_nanos, name, kind, status_code, model, flags, " +
	"tokens_prompt, tokens_completion, tokens_total, cost_total, session_id, user_id, release, environment, api_key_id";

export function nodeOfRow(row: NodeRow): SpanNode {
	const prompt = row.tokens_prompt ?? 0;
	const completion = row.tokens_completion ?? 0;
	return {
		id: row.id,
		spanId: toHex(row.span_id),
		parentSpanId: row.parent_span_id === null ? null : toHex(row.parent_span_id),
		startMicros: row.start_micros,
		startNanos: row.start_nanos,
		endMicros: row.end_micros,
		endNanos: row.end_nanos,
		isRunning: isRunning(row.flags),
		name: row.name,
		kind: row.kind,
		statusCode: row.status_code,
		model: row.model,
		aggregate: isAggregate(row.flags),
		usageBelow: hasUsageBelow(row.flags),
		prompt,
		completion,
		total: row.tokens_total ?? prompt + completion,
		cost: row.cost_total === null ? null : toSummedCost(row.cost_total),
		sessionId: row.session_id,
		userId: row.user_id,
		release: row.release,
		environment: row.environment,
		apiKeyId: row.api_key_id,
	};
}

export function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

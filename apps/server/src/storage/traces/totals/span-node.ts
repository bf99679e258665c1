import type { NormalizedSpan } from "../span-batch.ts";
import { type SummedCost, toSummedCost } from "./cost-pico.ts";
import { kindNumber } from "./span-kinds.ts";

/** What totals need of a span, stored or about to be. */
export interface SpanNode {
	readonly id: number;
	readonly spanId: string;
	readonly parentSpanId: string | null;
	readonly startMicros: number;
	readonly startNanos: number;
	readonly endMicros: number;
	readonly endNanos: number;
	readonly name: string;
	readonly kind: number;
	readonly statusCode: number;
	readonly model: string | null;
	/** Repeats its descendants' tokens by convention: never counted. */
	readonly aggregate: boolean;
	/** A stored descendant has usage; then every stored ancestor has this mark as well. */
	usageBelow: boolean;
	readonly prompt: number;
	readonly completion: number;
	readonly total: number;
	readonly cost: SummedCost | null;
	readonly sessionId: string | null;
	readonly userId: string | null;
	/** Present on spans of the batch that is being written. */
	readonly source?: NormalizedSpan;
}

/** Bits of `spans.flags`. */
const HAS_USAGE = 1;
const USAGE_BELOW = 2;
const AGGREGATE = 4;

export const USAGE_FLAGS = HAS_USAGE | USAGE_BELOW;

export function flagsOf(node: SpanNode): number {
	return (hasUsage(node) ? HAS_USAGE : 0) | (node.usageBelow ? USAGE_BELOW : 0) | (node.aggregate ? AGGREGATE : 0);
}

export function isAggregate(flags: number): boolean {
	return (flags & AGGREGATE) !== 0;
}

export function hasUsageBelow(flags: number): boolean {
	return (flags & USAGE_BELOW) !== 0;
}

/** The span's tokens are those of spans below it, by its convention or because one of these has tokens of its own. */
export function repeatsDescendants(flags: number): boolean {
	return isAggregate(flags) || (flags & USAGE_FLAGS) === USAGE_FLAGS;
}

export function hasUsage(node: SpanNode): boolean {
	return !node.aggregate && (node.prompt > 0 || node.completion > 0 || node.total > 0);
}

/** Whether tokens and cost of the span count in totals: nothing may count twice. */
export function counts(node: SpanNode): boolean {
	return !node.aggregate && !node.usageBelow;
}

/** By start, then span id: the same for every order of arrival. */
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
}

export const NODE_COLUMNS =
	"id, span_id, parent_span_id, start_micros, start_nanos, end_micros, end_nanos, name, kind, status_code, model, flags, " +
	"tokens_prompt, tokens_completion, tokens_total, cost_total, session_id, user_id";

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
	};
}

export function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

import type { SpanDetail } from "@spanward/client";
import { formatCost, formatDuration, formatInteger } from "../../../lib/format.ts";
import { compareTracesTexts as TEXTS } from "../../../texts/compare-traces-en.ts";
import { texts } from "../../../texts/en.ts";
import { traceTexts } from "../../../texts/trace-en.ts";
import { formatJson, isContainer, type Json } from "../../../ui/content/json-value.ts";
import { toSentAttributes } from "../sent-attributes.ts";
import type { TraceSpan } from "../trace-span.ts";
import { deltaText, durationOf } from "./deltas.ts";

/** A value of two spans; undefined where a span does not have it. */
export interface PairValue {
	readonly name: string;
	readonly left: string | undefined;
	readonly right: string | undefined;
	/** What the right one is more or less, for numbers. */
	readonly delta?: string;
}

export function differs({ left, right }: PairValue): boolean {
	return left !== right;
}

/** One of two spans, with the start of its trace in microseconds since 1970. */
export interface SpanOfPair {
	readonly span: TraceSpan;
	readonly detail: SpanDetail;
	readonly traceStartMicros: number;
}

const COUNTS = [
	["prompt", traceTexts.fact.prompt],
	["completion", traceTexts.fact.completion],
	["total", traceTexts.fact.total],
	["cache_read", traceTexts.fact.cacheRead],
	["cache_write", traceTexts.fact.cacheWrite],
	["reasoning", traceTexts.fact.reasoning],
] as const;

type Read<Value> = (side: SpanOfPair) => Value | null | undefined;

/** What two spans are and took; values that neither has are left out. */
export function pairFacts(left: SpanOfPair | undefined, right: SpanOfPair | undefined): PairValue[] {
	const { fact } = traceTexts;
	const text = (name: string, read: Read<string>): PairValue => ({
		name,
		left: (left && read(left)) || undefined,
		right: (right && read(right)) || undefined,
	});
	const number = (name: string, format: (value: number | null) => string, read: Read<number>): PairValue => {
		const values = { left: (left && read(left)) ?? null, right: (right && read(right)) ?? null, format };
		const shown = (value: number | null) => (value === null ? undefined : format(value));
		const isPair = values.left !== null && values.right !== null;
		return {
			name,
			left: shown(values.left),
			right: shown(values.right),
			...(isPair ? { delta: deltaText(values) } : {}),
		};
	};
	return [
		text(TEXTS.column.name, ({ span }) => span.name || traceTexts.unnamed),
		text(fact.kind, ({ span }) => span.kind),
		text(fact.status, ({ span }) => (span.state === "ended" ? span.status : texts.runState[span.state])),
		text(fact.statusMessage, ({ span }) => span.statusMessage),
		text(fact.model, ({ span, detail }) => detail.semantic.model ?? span.model),
		text(fact.provider, ({ detail }) => detail.semantic.provider),
		text(fact.agent, ({ detail }) => detail.semantic.agent_name),
		text(fact.finishReason, ({ detail }) => detail.semantic.finish_reason),
		number(TEXTS.column.duration, formatDuration, ({ span }) => durationOf(span)),
		number(
			TEXTS.fact.start,
			formatDuration,
			({ span, traceStartMicros }) => (span.startMicros - traceStartMicros) / 1000,
		),
		...COUNTS.map(([key, name]) =>
			number(`${fact.tokens}: ${name.toLowerCase()}`, formatInteger, ({ detail }) => detail.semantic.tokens?.[key]),
		),
		number(fact.cost, formatCost, ({ span }) => span.cost),
	].filter((value) => value.left !== undefined || value.right !== undefined);
}

/** The invocation parameters of two spans, by name. */
export function pairParameters(left: SpanDetail | undefined, right: SpanDetail | undefined): PairValue[] {
	return pairMembers(membersOf(left?.semantic.invocation_parameters), membersOf(right?.semantic.invocation_parameters));
}

/** The attributes of two spans that are not equal. */
export function differingAttributes(left: SpanDetail | undefined, right: SpanDetail | undefined): PairValue[] {
	const sent = (detail: SpanDetail | undefined) =>
		new Map(toSentAttributes(detail?.otlp.attributes ?? []).map(({ key, value }) => [key, value]));
	return pairMembers(sent(left), sent(right)).filter(differs);
}

function membersOf(value: unknown): ReadonlyMap<string, Json> {
	if (value === undefined || value === null) return new Map();
	const json = value as Json;
	if (isContainer(json) && !Array.isArray(json)) return new Map(Object.entries(json));
	return new Map([[traceTexts.fact.parameters, json]]);
}

function pairMembers(left: ReadonlyMap<string, Json>, right: ReadonlyMap<string, Json>): PairValue[] {
	return [...new Set([...left.keys(), ...right.keys()])].map((name) => ({
		name,
		left: toText(left.get(name)),
		right: toText(right.get(name)),
	}));
}

export function toText(value: Json | undefined): string | undefined {
	if (value === undefined) return undefined;
	return typeof value === "string" ? value : formatJson(value);
}

import type { Collection } from "@spanward/filter-language";
import { STATUS_CODES } from "#storage/traces/filter/fields.ts";
import { toDollars } from "#storage/traces/totals/cost-pico.ts";
import { kindNumber, kindOf, LLM } from "#storage/traces/totals/span-kinds.ts";
import { isRunning, UNCOUNTED_FLAGS } from "#storage/traces/totals/span-node.ts";
import type { TotalsColumns } from "#storage/traces/totals/totals-columns.ts";
import type { SpanRow, TraceRow } from "../tables.ts";
import type { AnnotationRow, SessionRow, World } from "./world.ts";

/** Booleans are bigints; bytes stand for a list. */
export type Scalar = string | number | bigint | Uint8Array | null;

export interface SpanItem {
	readonly kind: "span";
	readonly row: SpanRow;
}

export interface TraceItem {
	readonly kind: "trace";
	readonly row: TraceRow;
}

export interface SessionItem {
	readonly kind: "session";
	readonly row: SessionRow;
}

/** A part of a span's cost. */
export interface CostDetail {
	readonly kind: "cost_detail";
	readonly token_type: string;
	readonly is_prompt: boolean;
	readonly cost: number;
	readonly tokens: number | null;
}

export type AnyRow =
	| SpanItem
	| TraceItem
	| SessionItem
	| CostDetail
	| { readonly kind: "annotation"; readonly row: AnnotationRow };

const TOOL = kindNumber("TOOL");

export function fieldOf(item: AnyRow, name: string, world: World): Scalar {
	switch (item.kind) {
		case "span":
			return known(spanField(item, name, world), name);
		case "trace":
			return known(traceField(item, name, world), name);
		case "session":
			return known(sessionField(item, name, world), name);
		case "annotation":
			return item.row[name as "name"];
		case "cost_detail":
			if (name === "cost_per_token") return item.tokens === null || item.tokens === 0 ? null : item.cost / item.tokens;
			if (name === "is_prompt") return BigInt(item.is_prompt);
			return item[name as "cost" | "tokens" | "token_type"];
	}
}

function known(value: Scalar | undefined, name: string): Scalar {
	if (value === undefined) throw new Error(`a filter asks for field ${name}, which is not there`);
	return value;
}

export function isRunningRow({ flags, end_micros }: SpanRow): boolean {
	return isRunning(flags) || end_micros === 0;
}

function spanField(item: SpanItem, name: string, world: World): Scalar | undefined {
	const { row } = item;
	switch (name) {
		case "span_id":
			return row.span_id.toString("hex");
		case "trace_id":
			return row.trace_id.toString("hex");
		case "parent_id":
			return row.parent_span_id === null ? null : row.parent_span_id.toString("hex");
		case "name":
			return row.name;
		case "span_kind":
			return kindOf(row.kind);
		case "status_code":
			return STATUS_CODES[row.status_code] ?? "UNSET";
		case "status_message":
			return row.status_message ?? "";
		case "model":
			return row.model;
		case "provider":
			return row.provider;
		case "user_id":
			return row.user_id ?? world.traceOf(item)?.row.user_id ?? null;
		case "session_id":
			return row.session_id ?? world.traceOf(item)?.row.session_id ?? null;
		case "release":
			return row.release ?? world.traceOf(item)?.row.release ?? null;
		case "environment":
			return row.environment ?? world.traceOf(item)?.row.environment ?? null;
		case "api_key":
			return row.api_key_id === null ? null : String(row.api_key_id);
		case "error_group":
			return world.failureOf(item)?.group ?? null;
		case "error_kind":
			return world.failureOf(item)?.kind ?? null;
		case "error_tool":
			return world.failureOf(item)?.tool ?? null;
		case "start_time":
			return row.start_micros;
		case "end_time":
			return row.end_micros;
		case "latency_ms":
			return isRunningRow(row) ? null : (row.end_micros - row.start_micros) / 1_000;
		case "is_running":
			return BigInt(isRunningRow(row));
		case "llm_token_count_prompt":
			return row.tokens_prompt;
		case "llm_token_count_completion":
			return row.tokens_completion;
		case "llm_token_count_total":
			return (
				row.tokens_total ??
				(row.tokens_prompt === null ? row.tokens_completion : row.tokens_prompt + (row.tokens_completion ?? 0))
			);
		case "cumulative_llm_token_count_prompt":
			return world.cumulativeOf(item)?.tokens.prompt ?? null;
		case "cumulative_llm_token_count_completion":
			return world.cumulativeOf(item)?.tokens.completion ?? null;
		case "cumulative_llm_token_count_total":
			return world.cumulativeOf(item)?.tokens.total ?? null;
		case "cumulative_error_count":
			return world.cumulativeOf(item)?.errorCount ?? null;
		case "total_cost":
			return row.cost_total ?? 0;
		case "prompt_cost":
			return row.cost_prompt ?? 0;
		case "completion_cost":
			return row.cost_completion ?? 0;
		default:
			return undefined;
	}
}

function traceField(item: TraceItem, name: string, world: World): Scalar | undefined {
	const { row } = item;
	switch (name) {
		case "trace_id":
			return row.trace_id.toString("hex");
		case "session_id":
			return row.session_id;
		case "user_id":
			return row.user_id;
		case "release":
			return row.release;
		case "environment":
			return row.environment;
		case "name":
			return row.root_name;
		case "root_kind":
			return kindOf(row.root_kind);
		case "root_status_code":
			return STATUS_CODES[row.root_status] ?? "UNSET";
		case "status_code":
			return row.error_count > 0 ? "ERROR" : (STATUS_CODES[row.root_status] ?? "UNSET");
		case "start_time":
			return row.start_micros;
		case "end_time":
			return row.end_micros;
		case "latency_ms":
			return row.running_count > 0 ? null : (row.end_micros - row.start_micros) / 1_000;
		case "is_running":
			return BigInt(row.running_count > 0);
		case "num_spans":
			return row.span_count;
		case "input":
			return world.textOf(item, "input");
		case "output":
			return world.textOf(item, "output");
		default:
			return totalsField(row, () => world.spansOf(item), name);
	}
}

function sessionField(item: SessionItem, name: string, world: World): Scalar | undefined {
	const { row } = item;
	switch (name) {
		case "session_id":
			return row.session_id;
		case "user_id":
			return row.user_id;
		case "start_time":
			return row.start_micros;
		case "end_time":
			return row.end_micros;
		case "status_code":
			return row.error_count > 0 ? "ERROR" : "UNSET";
		case "duration_ms":
			return (row.end_micros - row.start_micros) / 1_000;
		case "is_running":
			return BigInt(row.running_count > 0);
		case "num_traces":
			return row.trace_count;
		case "num_traces_with_error":
			return world.tracesOf(item).filter((trace) => trace.row.error_count > 0).length;
		case "num_spans":
			return row.span_count;
		case "first_input":
			return textOfOne(world.tracesOf(item).at(0), "input", world);
		case "last_output":
			return textOfOne(world.tracesOf(item).at(-1), "output", world);
		default:
			return totalsField(row, () => world.spansOf(item), name);
	}
}

function textOfOne(trace: TraceItem | undefined, side: "input" | "output", world: World): string | null {
	return trace === undefined ? null : world.textOf(trace, side);
}

function totalsField(row: TotalsColumns, spans: () => readonly SpanItem[], name: string): Scalar | undefined {
	const counted = () => spans().filter((span) => (span.row.flags & UNCOUNTED_FLAGS) === 0);
	const sum = (part: "cost_prompt" | "cost_completion") =>
		counted().reduce((total, span) => total + (span.row[part] ?? 0), 0);
	switch (name) {
		case "error_count":
			return row.error_count;
		case "token_count_prompt":
			return row.tokens_prompt;
		case "token_count_completion":
			return row.tokens_completion;
		case "token_count_total":
			return row.tokens_total;
		case "total_cost":
			return toDollars({ micro: row.cost_micro, pico: row.cost_pico });
		case "prompt_cost":
			return sum("cost_prompt");
		case "completion_cost":
			return sum("cost_completion");
		case "tool_span_count":
			return spans().filter((span) => span.row.kind === TOOL).length;
		case "llm_span_count":
			return spans().filter((span) => span.row.kind === LLM).length;
		default:
			return undefined;
	}
}

/** The rows of a collection. */
export function collectionOf(item: AnyRow, collection: Collection, world: World): readonly AnyRow[] {
	if (item.kind === "annotation" || item.kind === "cost_detail")
		throw new Error(`a filter asks for ${collection} of a ${item.kind}`);
	switch (collection) {
		case "traces":
			return item.kind === "session" ? world.tracesOf(item) : [];
		case "spans":
			return item.kind === "span" ? [item] : world.spansOf(item);
		case "children":
			return item.kind === "span" ? world.childrenOf(item) : [];
		case "siblings":
			return item.kind === "span" ? world.siblingsOf(item) : [];
		case "annotations":
		case "trace_annotations":
		case "session_annotations":
			return world.annotationsOf(item).map((row) => ({ kind: "annotation", row }));
		case "span_annotations":
			return spansOf(item, world).flatMap((span) =>
				world.annotationsOf(span).map((row) => ({ kind: "annotation" as const, row })),
			);
		case "cost_details":
		case "span_cost_details":
			return spansOf(item, world).flatMap(costDetailsOf);
	}
}

function spansOf(item: SpanItem | TraceItem | SessionItem, world: World): readonly SpanItem[] {
	return item.kind === "span" ? [item] : world.spansOf(item);
}

/**
 * Cache reads and writes are part of the prompt's tokens and cost, reasoning is part of the completion's; a part without
 * a cost is left out.
 */
function costDetailsOf({ row }: SpanItem): CostDetail[] {
	const less = (whole: number | null, ...parts: readonly (number | null)[]) =>
		whole === null ? null : parts.reduce<number>((rest, part) => rest - (part ?? 0), whole);
	const details = [
		[
			"input",
			true,
			less(row.cost_prompt, row.cost_cache_read, row.cost_cache_write),
			less(row.tokens_prompt, row.tokens_cache_read, row.tokens_cache_write),
		],
		["output", false, less(row.cost_completion, row.cost_reasoning), less(row.tokens_completion, row.tokens_reasoning)],
		["cache_read", true, row.cost_cache_read, row.tokens_cache_read],
		["cache_write", true, row.cost_cache_write, row.tokens_cache_write],
		["reasoning", false, row.cost_reasoning, row.tokens_reasoning],
	] as const;
	return details.flatMap(([token_type, is_prompt, cost, tokens]) =>
		cost === null ? [] : [{ kind: "cost_detail" as const, token_type, is_prompt, cost, tokens }],
	);
}

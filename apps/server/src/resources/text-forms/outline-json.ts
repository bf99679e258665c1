import { byteLength, bytesOfTokens, cutStart } from "./budget.ts";
import { type ErrorGroup, type FoldedTrace, type OutlineRow, outlineOf } from "./outline.ts";
import type { Fold } from "./span-tree.ts";
import { visibleText } from "./untrusted.ts";

const NAME_BYTES = 200;
const MESSAGE_BYTES = 1_000;
/** Parts of a trace's facts are cut to so many bytes. */
const FACT_BYTES = 600;
/** What is around the lists. */
const FRAME_BYTES = 200;
const NOTHING = { spans: 0, errors: 0 };

interface OutlineJsonOptions {
	readonly maxTokens: number;
	/** Address of its page. */
	readonly link: string;
	/** Spans of the trace that are not among those folded. */
	readonly notRead: number;
}

/** The outline of a trace as JSON of at most so many tokens. @param trace its facts, in which texts are cut */
export function outlineJson<Trace extends object>(
	trace: Trace,
	folded: FoldedTrace,
	{ maxTokens, link, notRead }: OutlineJsonOptions,
) {
	const facts = cutTexts(trace, Math.min(FACT_BYTES, maxTokens / 8));
	const maxBytes = bytesOfTokens(maxTokens) - sizeOf({ facts, link }) - FRAME_BYTES;
	const outline = outlineOf(folded, maxBytes, {
		row: (fold) => sizeOf(toRow({ fold, leftOut: NOTHING })),
		error: (group) => sizeOf(toError(group)),
		// The two counts are zeros in what a row takes.
		leftOut: 12,
	});
	return {
		trace: facts,
		errors: outline.errors.map(toError),
		errors_left_out: outline.errorsLeftOut,
		rows: outline.rows.map(toRow),
		span_count: outline.spans,
		not_read: notRead,
		left_out: outline.leftOut,
		link,
	};
}

function toError({ spanId, name, kind, message, count }: ErrorGroup) {
	return { span_id: spanId, name: clean(name), span_kind: kind, message: cutStart(message, MESSAGE_BYTES), count };
}

function toRow({ fold, leftOut }: OutlineRow) {
	const { span, depth, count, longest, isCritical } = fold satisfies Fold;
	return {
		span_id: span.spanId,
		parent_id: span.parentSpanId,
		depth,
		name: clean(span.name),
		span_kind: span.kind,
		is_error: span.isError,
		latency_ms: span.isRunning ? null : longest,
		model: span.model === null ? null : clean(span.model),
		token_count_total: span.tokens,
		total_cost: span.cost,
		critical: isCritical,
		count,
		left_out: leftOut,
	};
}

function clean(text: string): string {
	return cutStart(visibleText(text.slice(0, NAME_BYTES * 4)), NAME_BYTES);
}

/** An object whose texts are visible, and each at most so many bytes long. */
function cutTexts<T extends object>(value: T, maxBytes: number): T {
	const entries = Object.entries(value).map(([key, each]: [string, unknown]) => [
		key,
		typeof each === "string" ? cutStart(visibleText(each.slice(0, maxBytes * 4)), maxBytes) : each,
	]);
	return Object.fromEntries(entries) as T;
}

/** As JSON, with a comma. */
function sizeOf(value: unknown): number {
	return byteLength(JSON.stringify(value)) + 1;
}

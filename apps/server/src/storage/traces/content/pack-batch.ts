import { present } from "#base/present.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import type { EndedSpan } from "../totals/add-spans.ts";
import type { Instant } from "../trace-store.ts";
import { type Block, type PackOptions, packBlocks } from "./block.ts";

/** Spans of one trace in one project, each identity once. */
export interface TraceSpans {
	readonly projectName: string;
	readonly traceId: string;
	readonly spans: readonly NormalizedSpan[];
}

/** The part of a write that needs no write lock. */
export interface PackedBatch {
	readonly traces: readonly TraceSpans[];
	/** Content of all spans, with those of one trace next to each other. */
	readonly blocks: readonly Block<NormalizedSpan>[];
	/** Number of spans that were in the batch more than once. */
	readonly duplicates: number;
}

export interface BatchOptions extends Pick<PackOptions<NormalizedSpan>, "signed"> {
	/** A block holds only spans for which this is the same. */
	readonly partOf?: (span: NormalizedSpan) => number;
	/** Whether root spans begin their block: lists of traces show their texts. */
	readonly rootsFirst?: boolean;
}

/**
 * Groups spans by trace, drops repeated identities (the first one with an end stays, else the first one), and compresses
 * them.
 */
export function packBatch(
	spans: readonly NormalizedSpan[],
	{ partOf = () => 0, signed = false, rootsFirst = false }: BatchOptions = {},
): PackedBatch {
	const { traces, duplicates } = groupByTrace(spans);
	const parts = Map.groupBy(
		traces.flatMap((trace) => trace.spans),
		partOf,
	);
	const options = {
		signed,
		...(rootsFirst && { first: (span: NormalizedSpan) => span.parentSpanId === null }),
	};
	return { traces, blocks: [...parts.values()].flatMap((part) => packBlocks(part, options)), duplicates };
}

/**
 * Groups spans by trace and drops repeated identities. A text that is put together for each span to be looked up in one
 * map would take several times as long.
 */
export function groupByTrace(spans: readonly NormalizedSpan[]): { traces: TraceSpans[]; duplicates: number } {
	const groups = new Map<string, Map<string, TraceGroup>>();
	const traces: TraceGroup[] = [];
	let duplicates = 0;
	for (const given of spans) {
		const span = withReadableTimes(given);
		const { projectName, traceId } = span;
		let ofProject = groups.get(projectName);
		if (ofProject === undefined) {
			ofProject = new Map();
			groups.set(projectName, ofProject);
		}
		let group = ofProject.get(traceId);
		if (group === undefined) {
			group = { projectName, traceId, spans: [], places: new Map() };
			ofProject.set(traceId, group);
			traces.push(group);
		}
		if (!addOnce(group, span)) duplicates += 1;
	}
	return { traces, duplicates };
}

interface TraceGroup extends TraceSpans {
	readonly spans: NormalizedSpan[];
	/** Where the spans of an id are among them. */
	readonly places: Map<string, number[]>;
}

/** @returns whether the identity is new */
function addOnce({ spans, places }: TraceGroup, span: NormalizedSpan): boolean {
	const ofId = places.get(span.spanId);
	if (ofId === undefined) {
		places.set(span.spanId, [spans.push(span) - 1]);
		return true;
	}
	for (const place of ofId) {
		const known = present(spans[place], "a span of the group");
		if (known.start.micros !== span.start.micros || known.start.nanos !== span.start.nanos) continue;
		if (known.isRunning && !span.isRunning) spans[place] = span;
		return false;
	}
	ofId.push(spans.push(span) - 1);
	return true;
}

/** Clamps times beyond the year 2255: larger numbers could be written, but not read. */
function withReadableTimes(span: NormalizedSpan): NormalizedSpan {
	const { start, end } = span;
	if (start.micros <= Number.MAX_SAFE_INTEGER && end.micros <= Number.MAX_SAFE_INTEGER) return span;
	const readable = ({ micros, nanos }: Instant) => ({ micros: Math.min(micros, Number.MAX_SAFE_INTEGER), nanos });
	return { ...span, start: readable(start), end: readable(end) };
}

/**
 * Packs the spans of a batch that end stored ones: in one block those that were in one.
 * @param blockOf the block that the stored span of a row number was in
 */
export function packEnded(
	batch: PackedBatch,
	ended: readonly EndedSpan[],
	blockOf: (spanRowId: number) => number | undefined,
): Block<NormalizedSpan>[] {
	const signed = batch.blocks.some((block) => block.signature !== undefined);
	const groups = Map.groupBy(ended, ({ stored }) => blockOf(stored.id));
	return [...groups.values()].flatMap((group) =>
		packBlocks(
			group.map(({ span }) => span),
			{ signed },
		),
	);
}

export function withoutStored(
	blocks: readonly Block<NormalizedSpan>[],
	traces: readonly { readonly fresh: readonly NormalizedSpan[] }[],
): Block<NormalizedSpan>[] {
	const fresh = new Set(traces.flatMap((trace) => trace.fresh));
	return blocks.flatMap((block) => {
		const spans = block.spans.filter((span) => fresh.has(span));
		return spans.length === block.spans.length ? [block] : packBlocks(spans, { signed: block.signature !== undefined });
	});
}

import { BroadcastChannel } from "node:worker_threads";
import { encodeSpan, type KeyValue, type Span } from "@spanward/otlp";
import type { SpanSummaryRow } from "../rows/span-summaries.ts";
import { toHex } from "../totals/span-node.ts";
import { type BlockSpan, DamagedBlock, unpackBlock, unpackFirst } from "./block.ts";

/** True on a span whose content cannot be read; the span is then shown with what its row has. */
export const DAMAGED_ATTRIBUTE = "spanward.damaged";

/** Any thread may find damage while reading; all threads of the process can listen. */
const CHANNEL = "spanward:damaged-blocks";

/** A block, or a span within one, that cannot be read. */
export type DamageFound = { readonly reason: string } & ({ readonly blockId: number } | { readonly spanId: string });

/** The spans of a block, by ordinal; none, with a report to {@link onDamage}, when it is damaged or missing. */
export function readBlock(id: number, data: Uint8Array | undefined): readonly BlockSpan[] {
	return readSpans(id, data, unpackBlock);
}

/**
 * As {@link readBlock}, as far as these ordinals are: what comes after them may be left out, as are schema URLs. Takes a
 * fourth of the time where they are among the first.
 */
export function readFirst(id: number, data: Uint8Array | undefined, ordinals: readonly number[]): readonly BlockSpan[] {
	return readSpans(id, data, (known) => {
		const spans = unpackFirst(known);
		return spans !== undefined && ordinals.every((ordinal) => ordinal < spans.length) ? spans : unpackBlock(known);
	});
}

function readSpans(
	id: number,
	data: Uint8Array | undefined,
	unpack: (data: Uint8Array) => readonly BlockSpan[],
): readonly BlockSpan[] {
	try {
		if (data !== undefined) return unpack(data);
		reportDamage({ blockId: id, reason: "it is missing" });
	} catch (error) {
		if (!(error instanceof DamagedBlock)) throw error;
		reportDamage({ blockId: id, reason: error.message });
	}
	return [];
}

export function reportDamage(found: DamageFound): void {
	const channel = new BroadcastChannel(CHANNEL);
	channel.postMessage(found);
	channel.close();
}

/** Listens to reports of all threads. @returns ends listening when disposed of */
export function onDamage(listener: (found: DamageFound) => void): Disposable {
	const channel = new BroadcastChannel(CHANNEL);
	channel.onmessage = (message) => listener((message as { data: DamageFound }).data);
	channel.unref();
	return { [Symbol.dispose]: () => channel.close() };
}

const NOTHING = new Uint8Array(0);

/** Replaces a span that its block does not have, with what its row says, at least the ids. */
export function standIn(row: Pick<SpanSummaryRow, "trace_id" | "span_id"> & Partial<SpanSummaryRow>): BlockSpan {
	const shared = { bytes: NOTHING, schemaUrl: "" };
	return { bytes: encodeSpan(damagedSpan(row)), scope: shared, resource: shared };
}

/** What the row of a span with damaged content says, as OTLP, with the attribute that marks the damage. */
export function damagedSpan(row: Pick<SpanSummaryRow, "trace_id" | "span_id"> & Partial<SpanSummaryRow>): Span {
	const parent = row.parent_span_id ?? null;
	const attribute: KeyValue = { key: DAMAGED_ATTRIBUTE, value: { type: "bool", value: true } };
	return {
		traceId: toHex(row.trace_id),
		spanId: toHex(row.span_id),
		parentSpanId: parent === null ? "" : toHex(parent),
		traceState: "",
		flags: 0,
		name: row.name ?? "",
		kind: row.otel_kind ?? 0,
		startTimeUnixNano: toNanos(row.start_micros, row.start_nanos),
		endTimeUnixNano: toNanos(row.end_micros, row.end_nanos),
		attributes: [attribute],
		droppedAttributesCount: 0,
		events: [],
		droppedEventsCount: 0,
		links: [],
		droppedLinksCount: 0,
		status: { code: row.status_code ?? 0, message: row.status_message ?? "" },
	};
}

function toNanos(micros = 0, nanos = 0): bigint {
	return BigInt(micros) * 1_000n + BigInt(nanos);
}

import { findOccurrences, mayHaveFailed, type Occurrence, type TraceSpan } from "@spanward/error-groups";
import { toPlainMap } from "@spanward/otlp";
import { type DecodedSpan, decodeStoredSpan } from "#storage/traces/decode-span.ts";
import { storedSpanId, storedTraceId } from "#storage/traces/sent-ids/sent-ids.ts";
import { toSpanInput } from "#storage/traces/span-meaning.ts";
import type { StoredSpan, TraceReader, TraceWithoutTexts } from "#storage/traces/trace-store.ts";
import type { ErrorSettings } from "./project-settings.ts";

const PAGE_SPANS = 500;
const PAGE_BYTES = 4 * 1_048_576;
/** Texts that are compared, or by which rows are selected, are cut to so many characters. */
const MAX_TEXT = 1_000;
const MAX_RELEASE = 200;
/** From so many failing spans of a trace on, long values are not kept while the others are read. */
const MANY_FAILURES = 1_000;
const MAX_VALUE = 4_096;

/** A failure of a stored span. */
export interface FoundOccurrence
	extends Pick<Occurrence, "kind" | "fingerprint" | "version" | "title" | "message" | "type" | "culprit" | "grouping"> {
	readonly spanRowId: number;
	/** 16 bytes. */
	readonly traceId: Buffer;
	/** 8 bytes. */
	readonly spanId: Buffer;
	readonly startMicros: number;
	/** As the following, of the span, else of its trace. */
	readonly userId: string | null;
	readonly sessionId: string | null;
	readonly release: string | null;
	readonly environment: string | null;
	readonly model: string | null;
}

/**
 * All failures of a trace, of whatever kind.
 * @param trace as `findTraces` gives it
 * @returns not `isComplete` when fewer spans could be read than the trace has, as a replica lags behind
 * @throws StorageUnavailable
 */
export async function readFailures(
	traces: Pick<TraceReader, "listStoredSpans">,
	trace: TraceWithoutTexts,
	settings: ErrorSettings,
): Promise<{ readonly occurrences: readonly FoundOccurrence[]; readonly isComplete: boolean }> {
	const spans: TraceSpan[] = [];
	/** By id and start, which identify a span of a trace. */
	const found = new Map<string, StoredSpan["summary"]>();
	const releases = new Map<number, string>();
	const query = {
		caller: { name: "error grouping", isPatient: true },
		projectId: trace.projectId,
		traceIds: [trace.traceId],
		sort: "start_time",
		order: "asc",
		limit: PAGE_SPANS,
		maxContentBytes: PAGE_BYTES,
	} as const;
	let read = 0;
	let failing = 0;
	for (let page = await traces.listStoredSpans(query); ; ) {
		read += page.items.length;
		for (const stored of page.items) {
			const { summary, content } = stored;
			if (!mayHaveFailed(summary.statusCode, content.span) && content.logs.length === 0) {
				spans.push(unfailed(summary));
				continue;
			}
			const decoded = decodeStoredSpan(stored);
			failing += 1;
			spans.push(toTraceSpan(decoded, failing > MANY_FAILURES));
			found.set(keyOf(summary.spanId, startOf(summary)), summary);
			const release = settings.releaseKey === null ? undefined : sentRelease(decoded, settings.releaseKey);
			if (release !== undefined) releases.set(summary.id, release);
		}
		if (page.next === undefined) break;
		page = await traces.listStoredSpans({ ...query, from: page.next });
	}
	const traceId = Buffer.from(storedTraceId(trace.traceId), "hex");
	const occurrences = findOccurrences(spans, { ownCode: settings.ownCode }).flatMap((occurrence) => {
		const span = found.get(keyOf(occurrence.spanId, occurrence.startTimeUnixNano));
		if (span === undefined) return [];
		const { kind, fingerprint, version, title, message, type, culprit, grouping } = occurrence;
		const release = settings.releaseKey === null ? (span.release ?? trace.release) : releases.get(span.id);
		return [
			{
				...{ kind, fingerprint, version, title, message, culprit, grouping, traceId },
				...(type === undefined ? {} : { type }),
				spanRowId: span.id,
				spanId: Buffer.from(storedSpanId(span.spanId), "hex"),
				startMicros: span.start.micros,
				userId: cut(span.userId ?? trace.userId),
				sessionId: cut(span.sessionId ?? trace.sessionId),
				release: cut(release, MAX_RELEASE),
				environment: cut(span.environment ?? trace.environment),
				model: cut(span.model),
			},
		];
	});
	return { occurrences, isComplete: read >= trace.spanCount };
}

function keyOf(spanId: string, startTimeUnixNano: bigint): string {
	return `${spanId} ${startTimeUnixNano}`;
}

function startOf({ start }: StoredSpan["summary"]): bigint {
	return BigInt(start.micros) * 1_000n + BigInt(start.nanos);
}

function placeOf(summary: StoredSpan["summary"]): Pick<TraceSpan, "spanId" | "parentSpanId" | "startTimeUnixNano"> {
	const { spanId, parentSpanId } = summary;
	return { spanId, parentSpanId: parentSpanId ?? "", startTimeUnixNano: startOf(summary) };
}

/** Of a span that did not fail only its place matters. */
function unfailed(summary: StoredSpan["summary"]): TraceSpan {
	return {
		...placeOf(summary),
		...{ name: "", scopeName: "", statusCode: 0, statusMessage: "" },
		...{ attributes: new Map(), events: [], logs: [] },
	};
}

function toTraceSpan({ summary, span, scope, logs }: DecodedSpan, withoutLongValues: boolean): TraceSpan {
	const input = toSpanInput(span, scope.name, logs);
	const short = [...input.attributes].filter(([, value]) => typeof value !== "string" || value.length <= MAX_VALUE);
	return { ...placeOf(summary), ...input, ...(withoutLongValues ? { attributes: new Map(short) } : {}) };
}

/** What a project's own attribute says. */
function sentRelease({ span, resource }: DecodedSpan, key: string): string | undefined {
	const value = toPlainMap(span.attributes).get(key) ?? toPlainMap(resource.attributes).get(key);
	const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
	return typeof text === "string" && text !== "" ? text : undefined;
}

/** Hostile senders name users in megabytes. */
function cut(text: string | null | undefined, most = MAX_TEXT): string | null {
	if (text === null || text === undefined) return null;
	return [...text.slice(0, 2 * most)].slice(0, most).join("");
}

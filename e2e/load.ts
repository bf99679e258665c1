import { encodeTraceRequest, fromPlain, type KeyValue, type Span } from "@spanward/otlp";

export const LOAD_PROJECT = "load";
/** Requests 2n and 2n + 1 carry the two halves of the same traces, so that totals grow over several commits. */
const SPANS_PER_HALF = 4;

/** One request of the load: its bytes and the ids of its spans as "trace id/span id". */
export interface LoadRequest {
	readonly body: Uint8Array;
	readonly spanKeys: readonly string[];
}

/** Stands in the template where the number of the request pair goes. */
const MARK = "5ca1ab1e";

interface Template {
	readonly body: Uint8Array;
	readonly offsets: readonly number[];
	readonly textOffsets: readonly number[];
	readonly spanKeys: readonly string[];
}

/**
 * Makes requests of agent spans of about 2 KB, four of each trace, the n-th the same every time, cheaply enough to keep a
 * server busy: they are encoded once and only their ids, and a word in the first span, are written anew.
 */
export function createLoad(tracesPerRequest = 64): (sequence: number) => LoadRequest {
	const templates = [makeTemplate(0, tracesPerRequest), makeTemplate(1, tracesPerRequest)];
	return (sequence) => {
		const { body, offsets, textOffsets, spanKeys } = templates[sequence % 2] as Template;
		const pair = Math.floor(sequence / 2) + 1; // from 1: an id of zeros is not valid
		const copy = Buffer.from(body);
		const digits = pair.toString(16).padStart(8, "0");
		for (const offset of offsets) copy.writeUInt32BE(pair, offset);
		for (const offset of textOffsets) copy.write(digits, offset);
		return { body: copy, spanKeys: spanKeys.map((key) => key.replaceAll(MARK, digits)) };
	};
}

/** The word that only this span's text and that of the other half of its trace have; undefined for a span without one. */
export function uniqueWordOf(spanKey: string): string | undefined {
	const [traceId = "", id = ""] = spanKey.split("/");
	const isFirst = [0, SPANS_PER_HALF].some((position) => id === spanId(0, position).replace(MARK, traceId.slice(0, 8)));
	return isFirst ? `word${traceId.slice(0, 8)}word` : undefined;
}

function makeTemplate(half: 0 | 1, traces: number): Template {
	const spans = Array.from({ length: traces }, (_, number) => makeHalfTrace(number, half)).flat();
	const resource = {
		attributes: attributes({ "openinference.project.name": LOAD_PROJECT }),
		droppedAttributesCount: 0,
	};
	const scope = { name: "load", version: "1", attributes: [], droppedAttributesCount: 0 };
	const scopeSpans = [{ scope, spans, schemaUrl: "" }];
	const body = encodeTraceRequest([{ resource, scopeSpans, schemaUrl: "" }]);
	const bytes = Buffer.from(body);
	const offsets = offsetsOf(bytes, Buffer.from(MARK, "hex"));
	const textOffsets = offsetsOf(bytes, Buffer.from(MARK));
	return { body, offsets, textOffsets, spanKeys: spans.map((span) => `${span.traceId}/${span.spanId}`) };
}

function offsetsOf(bytes: Buffer, part: Buffer): number[] {
	const offsets: number[] = [];
	for (let at = bytes.indexOf(part); at !== -1; at = bytes.indexOf(part, at + 1)) offsets.push(at);
	return offsets;
}

const TEXT = "The quick brown fox jumps over the lazy dog while the agent looks for an answer. ".repeat(18);

/** Spans 0–3 or 4–7 of a trace; two model calls have tokens of their own, span 4 repeats those of span 5. */
function makeHalfTrace(number: number, half: 0 | 1): Span[] {
	const kinds = ["AGENT", "CHAIN", "LLM", "TOOL", "CHAIN", "LLM", "RETRIEVER", "CHAIN"];
	const parents = [undefined, 0, 1, 1, 0, 4, 0, 6];
	const tokens: Readonly<Record<number, readonly [number, number]>> = { 2: [100, 20], 4: [120, 25], 5: [120, 25] };
	const positions = Array.from({ length: SPANS_PER_HALF }, (_, offset) => half * SPANS_PER_HALF + offset);
	return positions.map((position) => {
		const [prompt, completion] = tokens[position] ?? [];
		const parent = parents[position];
		const isFirst = number === 0 && position === half * SPANS_PER_HALF;
		const start = 1_790_000_000_000_000_000n + BigInt(number * 60 + position) * 1_000_000_000n;
		return {
			traceId: `${MARK}${number.toString(16).padStart(24, "0")}`,
			spanId: spanId(number, position),
			parentSpanId: parent === undefined ? "" : spanId(number, parent),
			traceState: "",
			flags: 0,
			name: `step ${position}`,
			kind: 1,
			startTimeUnixNano: start,
			endTimeUnixNano: start + 1_500_000_000n,
			attributes: attributes({
				"openinference.span.kind": kinds[position] ?? "CHAIN",
				"session.id": `session ${number % 8}`,
				"input.value": `${isFirst ? `word${MARK}word` : number} ${TEXT}`,
				...(prompt === undefined || completion === undefined
					? {}
					: {
							"llm.model_name": "gpt-4o-mini",
							"llm.token_count.prompt": prompt,
							"llm.token_count.completion": completion,
						}),
			}),
			droppedAttributesCount: 0,
			events: [],
			droppedEventsCount: 0,
			links: [],
			droppedLinksCount: 0,
			status: { code: position === 3 ? 2 : 1, message: "" },
		};
	});
}

function spanId(trace: number, position: number): string {
	return `${MARK}${(trace * 16 + position + 1).toString(16).padStart(8, "0")}`;
}

function attributes(values: Readonly<Record<string, string | number>>): KeyValue[] {
	return Object.entries(values).map(([key, value]) => ({ key, value: fromPlain(value) }));
}

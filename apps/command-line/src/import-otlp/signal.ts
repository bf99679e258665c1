import { type Field, readFields, WIRE } from "./protobuf.ts";

/** Metrics and profiles are nothing that is kept. */
export type Signal = "traces" | "logs" | "other";

/** `resource_…` in a request, `scope_…` in that, and the spans, log records or metrics in that. */
const PATH = [1, 2, 2] as const;

/** Fields of one of them alone, by number and wire type. */
const OF_LOG_RECORDS: ReadonlySet<string> = new Set(["1 i64", "2 varint", "6 bytes", "8 i32", "11 i64"]);
const OF_SPANS: ReadonlySet<string> = new Set([
	...["6 varint", "7 i64", "8 i64", "10 varint", "12 varint", "14 varint", "16 i32"],
]);

/**
 * What an export request in protobuf is about. Those of traces, logs and metrics have the same form, and nothing in them
 * says which one it is: it is told by the fields of what is in it.
 * https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto
 * @returns traces for one with nothing in it, which says nothing
 */
export function signalOf(request: Buffer): Signal {
	for (const item of itemsAt(request, PATH)) {
		const signal = signalOfItem(item);
		if (signal !== undefined) return signal;
	}
	return "traces";
}

function* itemsAt(message: Buffer, [number, ...rest]: readonly number[]): Generator<Buffer> {
	if (number === undefined) {
		yield message;
		return;
	}
	for (const { number: own, value } of readFields(message))
		if (own === number && value instanceof Buffer) yield* itemsAt(value, rest);
}

function signalOfItem(item: Buffer): Signal | undefined {
	const fields = [...readFields(item)];
	const kinds = fields.map(({ number, wire }) => `${number} ${nameOf(wire)}`);
	if (kinds.some((kind) => OF_LOG_RECORDS.has(kind))) return "logs";
	// Ids are known by their length.
	if (kinds.some((kind) => OF_SPANS.has(kind)) || (hasBytes(fields, 1, 16) && hasBytes(fields, 2, 8))) return "traces";
	// A metric has its name there.
	if (kinds.includes("1 bytes")) return "other";
	return fields.length === 0 ? undefined : "logs";
}

function nameOf(wire: number): string | undefined {
	return Object.entries(WIRE).find(([, number]) => number === wire)?.[0];
}

function hasBytes(fields: readonly Field[], number: number, length: number): boolean {
	return fields.some(
		(field) => field.number === number && field.value instanceof Buffer && field.value.length === length,
	);
}

/** Hand-made protobuf, for messages that no encoder produces. */

/** A length-delimited field: string, bytes or message. */
export function bytesField(field: number, ...parts: (Uint8Array | string)[]): Uint8Array {
	const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
	return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

export function varintField(field: number, value: number): Uint8Array {
	return Buffer.concat([varint(field * 8), varint(value)]);
}

export function fixed64Field(field: number, value: bigint): Uint8Array {
	const content = Buffer.alloc(8);
	content.writeBigUInt64LE(value);
	return Buffer.concat([varint(field * 8 + 1), content]);
}

/** A group, which proto3 no longer has. */
export function group(field: number, ...parts: Uint8Array[]): Uint8Array {
	return Buffer.concat([varint(field * 8 + 3), ...parts, varint(field * 8 + 4)]);
}

export function varint(value: number): Uint8Array {
	const bytes: number[] = [];
	let rest = value;
	while (rest > 0x7f) {
		bytes.push((rest % 0x80) | 0x80);
		rest = Math.floor(rest / 0x80);
	}
	return Uint8Array.from([...bytes, rest]);
}

/** A `KeyValue` whose value is the given `AnyValue`. */
export function keyValue(key: string, ...value: Uint8Array[]): Uint8Array {
	return Buffer.concat([bytesField(1, key), bytesField(2, ...value)]);
}

export const TRACE_ID = Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex");
export const SPAN_ID = Buffer.from("b7ad6b7169203331", "hex");

/** A valid `Span` with more fields. */
export function span(...more: Uint8Array[]): Uint8Array {
	return Buffer.concat([bytesField(1, TRACE_ID), bytesField(2, SPAN_ID), ...more]);
}

/** An `ExportTraceServiceRequest` of spans in one scope. */
export function request(...spans: Uint8Array[]): Uint8Array {
	return bytesField(1, bytesField(2, ...spans.map((span) => bytesField(2, span))));
}

/** A string value inside of `depth` nested arrays. */
export function nested(depth: number): Uint8Array {
	const parts: Uint8Array[] = [bytesField(1, "deep")];
	let size = parts[0]?.length ?? 0;
	for (let level = 0; level < depth; level++) {
		for (const field of [1, 5]) {
			const head = Buffer.concat([varint(field * 8 + 2), varint(size)]);
			parts.push(head);
			size += head.length;
		}
	}
	return Buffer.concat(parts.reverse());
}

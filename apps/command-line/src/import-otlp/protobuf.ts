/** Of a field: https://protobuf.dev/programming-guides/encoding/#structure */
export const WIRE = { varint: 0, i64: 1, bytes: 2, i32: 5 } as const;

export interface Field {
	readonly number: number;
	/** One of `WIRE`. */
	readonly wire: number;
	/** A varint, or bytes; absent for numbers of a fixed width. */
	readonly value?: number | Buffer;
}

/** @returns undefined where it is cut off */
export function readVarint(bytes: Buffer, start = 0): { value: number; end: number } | undefined {
	let value = 0;
	for (let end = start; end < bytes.length; end += 1) {
		const byte = bytes[end] ?? 0;
		value += (byte & 0x7f) * 2 ** (7 * (end - start));
		if (byte < 0x80) return { value, end: end + 1 };
	}
	return undefined;
}

/** The fields of a message, up to where it is damaged. */
export function* readFields(message: Buffer): Generator<Field> {
	let position = 0;
	while (position < message.length) {
		const tag = readVarint(message, position);
		if (tag === undefined) return;
		const field = { number: Math.floor(tag.value / 8), wire: tag.value & 7 };
		position = tag.end;
		if (field.wire === WIRE.i64 || field.wire === WIRE.i32) {
			position += field.wire === WIRE.i64 ? 8 : 4;
			yield field;
			continue;
		}
		if (field.wire !== WIRE.varint && field.wire !== WIRE.bytes) return;
		const number = readVarint(message, position);
		if (number === undefined) return;
		position = number.end;
		if (field.wire === WIRE.varint) yield { ...field, value: number.value };
		else {
			yield { ...field, value: message.subarray(position, position + number.value) };
			position += number.value;
		}
	}
}

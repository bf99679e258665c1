/** A position beyond every end: that of a cursor after malformed bytes. */
export const FAILED = 0x7fff_ffff;

/** Deepest nesting that `decode…` reads by default. */
export const DEFAULT_DEPTH = 100;

export type Fault = "malformed" | "too_deep" | "too_many_values";

/**
 * Reads the protobuf wire format without throwing or allocating. A message is read by `while (cursor.pos < end)`, and
 * was well-formed if the cursor is then exactly at its end. Any fault moves the cursor beyond the end, where reads
 * return 0, so callers check once per message with `finish`.
 *
 * Invalid UTF-8 is read with U+FFFD in place of wrong bytes. Strict protobuf decoders reject the whole request for it;
 * the OpenTelemetry Collector accepts it, as we do: an SDK that truncates a text within a character must not lose the
 * span, let alone its neighbours.
 */
export class WireCursor {
	readonly bytes: Buffer;
	pos: number;
	/** Why it failed; callers that continue after a failure reset it. */
	fault: Fault = "malformed";

	constructor(bytes: Uint8Array) {
		this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		// Lengths and positions are 31-bit, as in the official decoders.
		this.pos = bytes.byteLength < FAILED ? 0 : FAILED;
	}

	fail(fault: Fault): void {
		this.fault = fault;
		this.pos = FAILED;
	}

	/** Checks that a message ended exactly at `end`. */
	finish(end: number): void {
		if (this.pos !== end) this.pos = FAILED;
	}

	/** The next field's tag. */
	tag(): number {
		const first = this.bytes[this.pos] ?? 0;
		if (first < 0x80) {
			this.pos++;
			return first;
		}
		return this.#varintOf5Bytes();
	}

	/** Reads the length of a value and returns the position after the value; the cursor is then at its first byte. */
	length(end: number): number {
		const first = this.bytes[this.pos] ?? 0;
		let size = first;
		if (first < 0x80) this.pos++;
		else size = this.#varintOf5Bytes();
		const stop = this.pos + size;
		if (stop <= end) return stop;
		this.pos = FAILED;
		return FAILED;
	}

	/** Tags and lengths are at most 5 bytes and 32 bits. */
	#varintOf5Bytes(): number {
		let value = 0;
		for (let shift = 0; shift < 28; shift += 7) {
			const byte = this.bytes[this.pos++] ?? 0;
			value |= (byte & 0x7f) << shift;
			if (byte < 0x80) return value;
		}
		const last = this.bytes[this.pos++] ?? 0;
		if (last > 0x0f) {
			this.pos = FAILED;
			return 0;
		}
		return (value | (last << 28)) >>> 0;
	}

	/** The low 32 bits of a varint, unsigned. */
	uint32(): number {
		let value = 0;
		for (let shift = 0; shift < 35; shift += 7) {
			const byte = this.bytes[this.pos++] ?? 0;
			value |= (byte & 0x7f) << shift;
			if (byte < 0x80) return value >>> 0;
		}
		this.#restOfVarint(5);
		return value >>> 0;
	}

	int32(): number {
		return this.uint32() | 0;
	}

	skipVarint(): void {
		this.#restOfVarint(0);
	}

	#restOfVarint(read: number): void {
		for (let count = read; count < 10; count++) {
			if ((this.bytes[this.pos++] ?? 0) < 0x80) return;
		}
		this.pos = FAILED;
	}

	bool(): boolean {
		let bits = 0;
		for (let count = 0; count < 10; count++) {
			const byte = this.bytes[this.pos++] ?? 0;
			bits |= byte & 0x7f;
			if (byte < 0x80) return bits !== 0;
		}
		this.pos = FAILED;
		return false;
	}

	/** A signed 64-bit varint as a number while that is exact, else as a bigint. */
	int64(): number | bigint {
		const first = this.bytes[this.pos] ?? 0;
		if (first < 0x80) {
			this.pos++;
			return first;
		}
		// 28 + 28 + 8 bits
		let low = 0;
		let middle = 0;
		let high = 0;
		let count = 0;
		for (; count < 10; count++) {
			const byte = this.bytes[this.pos++] ?? 0;
			const bits = byte & 0x7f;
			if (count < 4) low |= bits << (7 * count);
			else if (count < 8) middle |= bits << (7 * (count - 4));
			else high |= bits << (7 * (count - 8));
			if (byte < 0x80) break;
		}
		if (count === 10) this.pos = FAILED;
		high &= 0xff;
		if (high === 0 && middle < 0x200_0000) return middle * 0x1000_0000 + low;
		const value = BigInt.asIntN(64, (BigInt(high) << 56n) | (BigInt(middle) << 28n) | BigInt(low));
		const number = Number(value);
		return Number.isSafeInteger(number) ? number : value;
	}

	/** Little-endian 32 bits, unsigned. */
	fixed32(): number {
		const { bytes, pos } = this;
		this.pos = pos + 4;
		return (
			((bytes[pos] ?? 0) |
				((bytes[pos + 1] ?? 0) << 8) |
				((bytes[pos + 2] ?? 0) << 16) |
				((bytes[pos + 3] ?? 0) << 24)) >>>
			0
		);
	}

	fixed64(): bigint {
		const low = this.fixed32();
		return (BigInt(this.fixed32()) << 32n) | BigInt(low);
	}

	double(): number {
		const { pos } = this;
		this.pos = pos + 8;
		if (this.pos <= this.bytes.length) return this.bytes.readDoubleLE(pos);
		this.pos = FAILED;
		return 0;
	}

	string(end: number): string {
		const stop = this.length(end);
		const text = this.text(this.pos, stop);
		this.pos = stop;
		return text;
	}

	/** The text between two positions. */
	text(start: number, stop: number): string {
		return stop > start && stop !== FAILED ? this.bytes.toString("utf8", start, stop) : "";
	}

	/** Bytes as lower-case hex. */
	hex(end: number): string {
		const stop = this.length(end);
		const text = stop === FAILED ? "" : this.bytes.toString("hex", this.pos, stop);
		this.pos = stop;
		return text;
	}

	/** A view of the bytes between two positions. */
	view(start: number, stop: number): Uint8Array {
		return stop === FAILED
			? new Uint8Array(0)
			: new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + start, stop - start);
	}

	/**
	 * Skips an unknown field, including balanced groups, nested at most `depth` deep. An end of a group without a start,
	 * field number 0 and the wire types 6 and 7 are malformed.
	 */
	skip(tag: number, end: number, depth: number): void {
		const field = tag >>> 3;
		if (field === 0) this.pos = FAILED;
		else {
			switch (tag & 7) {
				case 0:
					this.skipVarint();
					break;
				case 1:
					this.pos += 8;
					break;
				case 2:
					this.pos = this.length(end);
					break;
				case 3:
					this.#skipGroup(field, end, depth);
					break;
				case 5:
					this.pos += 4;
					break;
				default:
					this.pos = FAILED;
			}
		}
	}

	#skipGroup(field: number, end: number, depth: number): void {
		if (depth <= 0) {
			this.fail("too_deep");
			return;
		}
		while (this.pos < end) {
			const tag = this.tag();
			if ((tag & 7) === 4) {
				if (tag >>> 3 !== field) this.pos = FAILED;
				return;
			}
			this.skip(tag, end, depth - 1);
		}
		this.pos = FAILED;
	}
}

/** Writes the protobuf wire format into one growing buffer. Scalars of value 0 are left out, as proto3 does. */
export class WireWriter {
	#bytes = Buffer.allocUnsafeSlow(1024);
	#length = 0;

	/** The bytes written. The writer cannot be used afterwards. */
	finish(): Uint8Array {
		return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#length);
	}

	#reserve(size: number): void {
		const needed = this.#length + size;
		if (needed <= this.#bytes.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
		this.#bytes.copy(larger, 0, 0, this.#length);
		this.#bytes = larger;
	}

	varint(value: number): void {
		this.#reserve(10);
		let rest = value;
		while (rest > 0x7f) {
			this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
			rest = Math.floor(rest / 0x80);
		}
		this.#bytes[this.#length++] = rest;
	}

	/** A signed 64-bit integer. */
	varint64(value: bigint): void {
		this.#reserve(10);
		let rest = BigInt.asUintN(64, value);
		while (rest > 0x7fn) {
			this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
			rest >>= 7n;
		}
		this.#bytes[this.#length++] = Number(rest);
	}

	uint32Field(tag: number, value: number): void {
		if (value === 0) return;
		this.varint(tag);
		this.varint(value >>> 0);
	}

	/** int32 and enums: negative numbers take ten bytes. */
	int32Field(tag: number, value: number): void {
		if (value === 0) return;
		this.varint(tag);
		if (value > 0) this.varint(value);
		else this.varint64(BigInt(value));
	}

	fixed32Field(tag: number, value: number): void {
		if (value === 0) return;
		this.varint(tag);
		this.#reserve(4);
		this.#length = this.#bytes.writeUInt32LE(value >>> 0, this.#length);
	}

	fixed64Field(tag: number, value: bigint): void {
		if (value === 0n) return;
		this.varint(tag);
		this.#reserve(8);
		this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
	}

	/** Written even when 0: for members of a oneof. */
	double(tag: number, value: number): void {
		this.varint(tag);
		this.#reserve(8);
		this.#length = this.#bytes.writeDoubleLE(value, this.#length);
	}

	stringField(tag: number, value: string): void {
		if (value !== "") this.string(tag, value);
	}

	/** Written even when empty. */
	string(tag: number, value: string): void {
		const size = Buffer.byteLength(value);
		this.varint(tag);
		this.varint(size);
		this.#reserve(size);
		this.#length += this.#bytes.write(value, this.#length);
	}

	/** Written even when empty. */
	bytes(tag: number, value: Uint8Array): void {
		this.varint(tag);
		this.varint(value.byteLength);
		this.raw(value);
	}

	/** Bytes that are encoded already. */
	raw(bytes: Uint8Array): void {
		this.#reserve(bytes.byteLength);
		this.#bytes.set(bytes, this.#length);
		this.#length += bytes.byteLength;
	}

	/** An id in hex, written as bytes. */
	hexField(tag: number, hex: string): void {
		if (hex === "") return;
		const bytes = Buffer.from(hex, "hex");
		if (bytes.length * 2 !== hex.length) throw new RangeError(`An id must be pairs of hex digits, not "${hex}".`);
		this.bytes(tag, bytes);
	}

	/** A nested message, written by `write`; its length is inserted afterwards. */
	message(tag: number, write: () => void): void {
		this.varint(tag);
		this.#reserve(1);
		const lengthAt = this.#length++;
		write();
		const size = this.#length - lengthAt - 1;
		if (size > 0x7f) {
			const more = size < 0x4000 ? 1 : size < 0x20_0000 ? 2 : size < 0x1000_0000 ? 3 : 4;
			this.#reserve(more);
			this.#bytes.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#length);
			this.#length = lengthAt;
			this.varint(size);
			this.#length += size;
		} else this.#bytes[lengthAt] = size;
	}
}

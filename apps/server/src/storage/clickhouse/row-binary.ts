/**
 * A column in ClickHouse's format RowBinary: rows one after the other, each value in the encoding of its type, without
 * names or lengths of rows (https://clickhouse.com/docs/interfaces/formats/RowBinary). Bytes of any kind survive it.
 */
export interface Column<Value> {
	/** ClickHouse's name of the type. */
	readonly type: string;
	read(from: RowReader): Value;
	write(to: RowWriter, value: Value): void;
}

/** Columns by name, in the order of the statement. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

export type RowOf<Of extends Columns> = { readonly [Name in keyof Of]: ReturnType<Of[Name]["read"]> };

/** Some of the columns. */
export function pickColumns<Of extends Columns, Name extends keyof Of>(
	columns: Of,
	names: readonly Name[],
): Pick<Of, Name> {
	return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Of, Name>;
}

/** @throws RowsCutShort when the answer ends within a row */
export function readRows<Of extends Columns>(columns: Of, data: Buffer): RowOf<Of>[] {
	const from = new RowReader(data);
	const entries = Object.entries(columns);
	const rows: RowOf<Of>[] = [];
	while (!from.isAtEnd) {
		const row: Record<string, unknown> = {};
		for (const [name, column] of entries) row[name] = column.read(from);
		rows.push(row as RowOf<Of>);
	}
	return rows;
}

/** Appends a row. */
export function writeRow<Of extends Columns>(columns: Of, to: RowWriter, row: RowOf<Of>): void {
	for (const name in columns) columns[name]?.write(to, row[name]);
}

/** An answer that ends within a row, or that cannot be one. */
export class RowsCutShort extends Error {
	override readonly name = "RowsCutShort";
}

/** Reads values from a whole answer. */
export class RowReader {
	readonly #data: Buffer;
	#at = 0;

	constructor(data: Buffer) {
		this.#data = data;
	}

	get isAtEnd(): boolean {
		return this.#at === this.#data.length;
	}

	/** The next bytes, which share memory with the answer. @throws RowsCutShort when there are fewer */
	take(length: number): Buffer {
		const at = this.#skip(length);
		return this.#data.subarray(at, at + length);
	}

	/** A value of `size` bytes. @param get reads it from the answer, at the offset; @throws RowsCutShort */
	takeFixed<Value>(size: number, get: (data: Buffer, at: number) => Value): Value {
		return get(this.#data, this.#skip(size));
	}

	/** @throws RowsCutShort */
	takeByte(): number {
		return this.#data.readUInt8(this.#skip(1));
	}

	/** Text in UTF-8, behind its length in bytes. @throws RowsCutShort */
	takeText(): string {
		const length = this.takeLength();
		const at = this.#skip(length);
		return this.#data.toString("utf8", at, at + length);
	}

	/** An unsigned LEB128 number. @throws RowsCutShort when it has more than 32 bits */
	takeLength(): number {
		let length = 0;
		for (let shift = 0; shift < 32; shift += 7) {
			const byte = this.takeByte();
			length += (byte & 0x7f) * 2 ** shift;
			if (byte < 0x80) return length;
		}
		throw new RowsCutShort("the rows of an answer have a length that cannot be one");
	}

	/** @returns where the bytes begin */
	#skip(length: number): number {
		const at = this.#at;
		const end = at + length;
		if (end > this.#data.length) throw new RowsCutShort("the rows of an answer end too early");
		this.#at = end;
		return at;
	}
}

const FIRST_SIZE = 4_096;

/** Gathers values of rows in memory that grows. */
export class RowWriter {
	#data: Buffer;
	#length = 0;

	/** @param size of the memory to begin with, in bytes */
	constructor(size = FIRST_SIZE) {
		this.#data = Buffer.allocUnsafe(size);
	}

	/** Bytes that were written. */
	get length(): number {
		return this.#length;
	}

	/** What was written, which shares memory with the writer. */
	bytes(): Buffer {
		return this.#data.subarray(0, this.#length);
	}

	/** Writes a value of `size` bytes. @param put writes it into the memory, at the offset */
	writeFixed<Value>(size: number, value: Value, put: (data: Buffer, value: Value, at: number) => void): void {
		const at = this.#take(size);
		put(this.#data, value, at);
	}

	writeByte(byte: number): void {
		const at = this.#take(1);
		this.#data[at] = byte;
	}

	writeBytes(bytes: Uint8Array): void {
		const at = this.#take(bytes.length);
		this.#data.set(bytes, at);
	}

	/** The text in UTF-8, behind its length in bytes. */
	writeText(text: string): void {
		const length = Buffer.byteLength(text);
		this.writeLength(length);
		const at = this.#take(length);
		this.#data.write(text, at, length);
	}

	writeLength(length: number): void {
		let left = length;
		while (left >= 0x80) {
			this.writeByte((left % 0x80) + 0x80);
			left = Math.floor(left / 0x80);
		}
		this.writeByte(left);
	}

	/** Makes room for so many bytes. @returns where they begin */
	#take(length: number): number {
		const at = this.#length;
		const end = at + length;
		if (end > this.#data.length) {
			const grown = Buffer.allocUnsafe(Math.max(end, this.#data.length * 2));
			this.#data.copy(grown, 0, 0, at);
			this.#data = grown;
		}
		this.#length = end;
		return at;
	}
}

/** Types by their names in ClickHouse. */
export const types = {
	UInt8: fixed(
		"UInt8",
		1,
		(data, at) => data.readUInt8(at),
		(data, value: number, at) => data.writeUInt8(value, at),
	),
	UInt16: fixed(
		"UInt16",
		2,
		(data, at) => data.readUInt16LE(at),
		(data, value: number, at) => data.writeUInt16LE(value, at),
	),
	UInt32: fixed(
		"UInt32",
		4,
		(data, at) => data.readUInt32LE(at),
		(data, value: number, at) => data.writeUInt32LE(value, at),
	),
	UInt64: fixed(
		"UInt64",
		8,
		(data, at) => data.readBigUInt64LE(at),
		(data, value: bigint, at) => data.writeBigUInt64LE(value, at),
	),
	Int64: fixed(
		"Int64",
		8,
		(data, at) => data.readBigInt64LE(at),
		(data, value: bigint, at) => data.writeBigInt64LE(value, at),
	),
	/** A whole number, exact up to 2^53 and beyond it as near as a JavaScript number can be. */
	Integer: integer("Int64"),
	/** As `Integer`, from 0 on. */
	Count: integer("UInt64"),
	Float64: fixed(
		"Float64",
		8,
		(data, at) => data.readDoubleLE(at),
		(data, value: number, at) => data.writeDoubleLE(value, at),
	),
	/** Any bytes. Those that are read share memory with the answer. */
	String: column<Buffer>(
		"String",
		(from) => from.take(from.takeLength()),
		(to, value) => {
			to.writeLength(value.length);
			to.writeBytes(value);
		},
	),
	/** Text in UTF-8; halves of surrogate pairs become U+FFFD. */
	Text: column<string>(
		"String",
		(from) => from.takeText(),
		(to, value) => to.writeText(value),
	),
	FixedString: (length: number) =>
		column<Buffer>(
			`FixedString(${length})`,
			(from) => from.take(length),
			(to, value) => {
				if (value.length !== length) throw new RangeError(`${value.length} bytes for a FixedString(${length})`);
				to.writeBytes(value);
			},
		),
	Nullable: <Value>(inner: Column<Value>) =>
		column<Value | null>(
			`Nullable(${inner.type})`,
			(from) => (from.takeByte() === 1 ? null : inner.read(from)),
			(to, value) => {
				to.writeByte(value === null ? 1 : 0);
				if (value !== null) inner.write(to, value);
			},
		),
	Array: <Value>(inner: Column<Value>) =>
		column<readonly Value[]>(
			`Array(${inner.type})`,
			(from) => Array.from({ length: from.takeLength() }, () => inner.read(from)),
			(to, values) => {
				to.writeLength(values.length);
				for (const value of values) inner.write(to, value);
			},
		),
} as const;

function column<Value>(type: string, read: Column<Value>["read"], write: Column<Value>["write"]): Column<Value> {
	return { type, read, write };
}

const LOW_WORD = 2 ** 32;

function integer(type: "Int64" | "UInt64"): Column<number> {
	return fixed(
		type,
		8,
		(data, at) => data.readInt32LE(at + 4) * LOW_WORD + data.readUInt32LE(at),
		(data, value: number, at) => {
			const high = Math.floor(value / LOW_WORD);
			data.writeUInt32LE(value - high * LOW_WORD, at);
			data.writeInt32LE(high, at + 4);
		},
	);
}

function fixed<Value>(
	type: string,
	size: number,
	get: (data: Buffer, at: number) => Value,
	put: (data: Buffer, value: Value, at: number) => void,
): Column<Value> {
	return column(
		type,
		(from) => from.takeFixed(size, get),
		(to, value) => to.writeFixed(size, value, put),
	);
}

import type { ClientBase, Connection, Submittable } from "pg";
import type { Value } from "./insert-rows.ts";

/** A table to copy rows into, with the types of its columns. */
export interface CopyTarget {
	readonly table: string;
	readonly columns: readonly (readonly [name: string, type: ColumnType])[];
}

export type ColumnType = "bigint" | "integer" | "double precision" | "text" | "bytea";

/**
 * Inserts rows with binary `COPY`: for wide rows it takes half the time of an insert with parameters, here and in the
 * database. Rows are pulled one by one, so a generator needs no memory for them. An existing row is an error.
 * https://www.postgresql.org/docs/current/sql-copy.html
 */
export async function copyRows(
	client: ClientBase,
	{ table, columns }: CopyTarget,
	rows: Iterable<readonly Value[]>,
): Promise<void> {
	const message = new CopyMessage(columns.map(([, type]) => type));
	let count = 0;
	for (const row of rows) {
		message.row(row);
		count += 1;
	}
	if (count === 0) return message.recycle();
	const names = columns.map(([name]) => name).join(", ");
	await new Promise<void>((resolve, reject) => {
		client.query(
			new CopyIn(`copy ${table} (${names}) from stdin (format binary)`, message.finish(), (error) =>
				error ? reject(error) : resolve(),
			),
		);
	});
	message.recycle();
}

/** The methods that `pg` calls while the statement runs. */
class CopyIn implements Submittable {
	callback: (error?: Error) => void;
	readonly #statement: string;
	readonly #message: Buffer;
	#failed = false;

	constructor(statement: string, message: Buffer, callback: (error?: Error) => void) {
		this.#statement = statement;
		this.#message = message;
		this.callback = callback;
	}

	submit(connection: Connection): void {
		connection.query(this.#statement);
	}

	handleCopyInResponse(connection: Connection): void {
		connection.stream.write(this.#message);
	}

	handleCommandComplete(): void {}

	handleError(error: Error): void {
		this.#failed = true;
		this.callback(error);
	}

	handleReadyForQuery(): void {
		if (!this.#failed) this.callback();
	}
}

const SIGNATURE = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const FIRST_BYTES = 1 << 18;

/** Buffers of finished copies, for reuse. */
const spare: Buffer[] = [];
const MOST_SPARE = 2;
const LARGEST_SPARE = 1 << 23;

/** A `CopyData` message and the `CopyDone` after it. https://www.postgresql.org/docs/current/protocol-message-formats.html */
class CopyMessage {
	readonly #types: readonly ColumnType[];
	#buffer = spare.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES);
	#length = 5;

	constructor(types: readonly ColumnType[]) {
		this.#types = types;
		SIGNATURE.copy(this.#buffer, this.#length);
		this.#length += SIGNATURE.length;
	}

	row(values: readonly Value[]): void {
		if (values.length !== this.#types.length)
			throw new Error(`a row has ${values.length} values for ${this.#types.length} columns`);
		this.#reserve(2);
		this.#length = this.#buffer.writeInt16BE(this.#types.length, this.#length);
		for (const [column, type] of this.#types.entries()) this.#value(type, values[column] ?? null);
	}

	finish(): Buffer {
		this.#reserve(7);
		this.#length = this.#buffer.writeInt16BE(-1, this.#length);
		this.#buffer[0] = 0x64;
		this.#buffer.writeInt32BE(this.#length - 1, 1);
		this.#buffer[this.#length] = 0x63;
		this.#length = this.#buffer.writeInt32BE(4, this.#length + 1);
		return this.#buffer.subarray(0, this.#length);
	}

	/** Call it only after the database has received all of it. */
	recycle(): void {
		if (spare.length < MOST_SPARE && this.#buffer.length <= LARGEST_SPARE) spare.push(this.#buffer);
	}

	#value(type: ColumnType, value: Value): void {
		if (value === null) {
			this.#reserve(4);
			this.#length = this.#buffer.writeInt32BE(-1, this.#length);
		} else if (typeof value === "number") this.#number(type, value);
		else if (typeof value === "string") this.#text(value);
		else {
			this.#reserve(4 + value.length);
			this.#length = this.#buffer.writeInt32BE(value.length, this.#length);
			this.#buffer.set(value, this.#length);
			this.#length += value.length;
		}
	}

	#number(type: ColumnType, value: number): void {
		this.#reserve(12);
		const buffer = this.#buffer;
		this.#length = buffer.writeInt32BE(type === "integer" ? 4 : 8, this.#length);
		if (type === "integer") this.#length = buffer.writeInt32BE(value, this.#length);
		else if (type === "double precision") this.#length = buffer.writeDoubleBE(value, this.#length);
		else {
			const high = Math.floor(value / 0x1_0000_0000);
			this.#length = buffer.writeInt32BE(high, this.#length);
			this.#length = buffer.writeUInt32BE(value - high * 0x1_0000_0000, this.#length);
		}
	}

	#text(text: string): void {
		this.#reserve(4 + 3 * text.length);
		const written = this.#buffer.write(text, this.#length + 4, "utf8");
		this.#buffer.writeInt32BE(written, this.#length);
		this.#length += 4 + written;
	}

	#reserve(more: number): void {
		if (this.#length + more <= this.#buffer.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#length + more));
		this.#buffer.copy(larger, 0, 0, this.#length);
		this.#buffer = larger;
	}
}

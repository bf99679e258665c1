import { EventEmitter } from "node:events";
import type pg from "pg";

/**
 * Results in binary, for statements that return large `bytea` values: as text these are twice as long, and decoded
 * twice. `pg` can ask for binary results, but would read their values as UTF-8, so the messages that contain them are
 * read here. https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export interface BinaryQuery extends pg.QueryConfig {
	readonly binary: true;
	readonly queryMode: "extended";
}

/** A statement whose results come in binary; its columns must be of the types that `binaryParser` knows. */
export function binaryQuery(text: string, values: readonly unknown[]): BinaryQuery {
	return { text, values: [...values], binary: true, queryMode: "extended" };
}

const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;

/** A parser of the binary values of a type, for the types that such statements return. */
export function binaryParser(oid: number): (value: Buffer) => unknown {
	if (oid === BYTEA) return (value) => value;
	if (oid === INT8) return (value) => value.readInt32BE(0) * 0x1_0000_0000 + value.readUInt32BE(4);
	if (oid === INT4) return (value) => value.readInt32BE(0);
	return () => {
		throw new Error(`values of type ${oid} cannot be read in binary yet`);
	};
}

/** Lets a connection that is not open yet read binary results. */
export function readBinaryResults(client: pg.Client): void {
	const { connection } = client;
	const attachListeners = connection.attachListeners.bind(connection);
	connection.attachListeners = (stream) => {
		// A stand-in for the stream, from which `pg` gets everything else.
		const others = new EventEmitter();
		const reader = new BinaryRowReader(
			(bytes) => others.emit("data", bytes),
			(fields) => connection.emit("dataRow", { name: "dataRow", fields }),
		);
		stream.on("data", (chunk) => reader.push(chunk));
		stream.on("end", () => others.emit("end"));
		attachListeners(others);
	};
}

declare module "pg" {
	interface Connection {
		/** Reads messages from the stream's `data` events; the types of `pg` lack it. */
		attachListeners(stream: EventEmitter): void;
	}
}

const HEADER_BYTES = 5;
const ROW_DESCRIPTION = 0x54;
const DATA_ROW = 0x44;

/** Takes the rows of binary results out of what the server sends. */
class BinaryRowReader {
	readonly #pass: (bytes: Buffer) => void;
	readonly #row: (fields: (Buffer | null)[]) => void;
	/** Whether the rows that come are binary. */
	#isBinary = false;
	/** Bytes of the present message that are yet to be passed on. */
	#passing = 0;
	/** The beginning of a message that has to be complete, and its length. */
	#held: Buffer[] = [];
	#heldBytes = 0;
	#needed = 0;

	constructor(pass: (bytes: Buffer) => void, row: (fields: (Buffer | null)[]) => void) {
		this.#pass = pass;
		this.#row = row;
	}

	push(chunk: Buffer): void {
		const bytes = this.#withHeld(chunk);
		if (bytes === undefined) return;
		let from = 0;
		let at = Math.min(this.#passing, bytes.length);
		this.#passing -= at;
		const passUntil = (end: number) => {
			if (end > from) this.#pass(bytes.subarray(from, end));
		};
		while (at < bytes.length) {
			const left = bytes.length - at;
			const total = left < HEADER_BYTES ? HEADER_BYTES : 1 + bytes.readUInt32BE(at + 1);
			const isRow = bytes[at] === DATA_ROW && this.#isBinary;
			if (left < HEADER_BYTES || (left < total && (isRow || bytes[at] === ROW_DESCRIPTION))) {
				passUntil(at);
				this.#hold(bytes.subarray(at), total);
				return;
			}
			if (isRow) {
				passUntil(at);
				this.#row(fieldsOf(bytes.subarray(at + HEADER_BYTES, at + total)));
				from = at + total;
			} else if (bytes[at] === ROW_DESCRIPTION) this.#isBinary = describesBinary(bytes.subarray(at, at + total));
			this.#passing = Math.max(0, total - left);
			at += Math.min(total, left);
		}
		passUntil(bytes.length);
	}

	/** The chunk after what was held; undefined while that is not complete. */
	#withHeld(chunk: Buffer): Buffer | undefined {
		if (this.#held.length === 0) return chunk;
		this.#hold(chunk, this.#needed);
		if (this.#heldBytes < this.#needed) return undefined;
		const bytes = Buffer.concat(this.#held);
		this.#held = [];
		this.#heldBytes = 0;
		return bytes;
	}

	#hold(bytes: Buffer, needed: number): void {
		this.#held.push(bytes);
		this.#heldBytes += bytes.length;
		this.#needed = needed;
	}
}

/** All columns of a result have the same format, that of the last one is the last number of the message. */
function describesBinary(message: Buffer): boolean {
	const columns = message.readInt16BE(HEADER_BYTES);
	return columns > 0 && message.readInt16BE(message.length - 2) === 1;
}

function fieldsOf(row: Buffer): (Buffer | null)[] {
	const fields: (Buffer | null)[] = [];
	let at = 2;
	for (let left = row.readInt16BE(0); left > 0; left -= 1) {
		const length = row.readInt32BE(at);
		at += 4;
		fields.push(length === -1 ? null : row.subarray(at, at + length));
		if (length > 0) at += length;
	}
	return fields;
}

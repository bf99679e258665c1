import { crc32 } from "node:zlib";
import { type EventReader, MAX_EVENT_BYTES, type StreamEvent, UnreadableEvent } from "./stream-events.ts";

/** Length of the message, length of its headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** Bytes of the values of headers by their type; texts and bytes say their own length. */
const VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16] as const;
const TEXT = 7;

/** https://smithy.io/2.0/aws/amazon-eventstream.html */
export class AwsEventStream implements EventReader {
	#chunks: Uint8Array[] = [];
	#length = 0;

	*read(chunk: Uint8Array): Iterable<StreamEvent> {
		this.#chunks.push(chunk);
		this.#length += chunk.byteLength;
		for (;;) {
			const message = this.#takeMessage();
			if (message === undefined) return;
			yield readMessage(message);
		}
	}

	rest(): "cut" | undefined {
		return this.#length > 0 ? "cut" : undefined;
	}

	#takeMessage(): Buffer | undefined {
		if (this.#length < PRELUDE_BYTES) return;
		// Most chunks are whole messages; those that are not are joined once the rest is there.
		const first = this.#chunks[0];
		if (first === undefined) return;
		const head = first.byteLength < PRELUDE_BYTES ? this.#join() : bufferOf(first);
		const total = head.readUInt32BE(0);
		if (crc32(head.subarray(0, 8)) !== head.readUInt32BE(8)) throw unreadable("a checksum is wrong", head);
		if (total < PRELUDE_BYTES + CHECKSUM_BYTES) throw unreadable("a length is wrong", head);
		if (total > MAX_EVENT_BYTES) throw unreadable("one event is larger than 4 MiB", head);
		if (this.#length < total) return;
		const joined = this.#join();
		this.#chunks = joined.length === total ? [] : [joined.subarray(total)];
		this.#length -= total;
		return joined.subarray(0, total);
	}

	#join(): Buffer {
		const [first] = this.#chunks;
		const joined = this.#chunks.length === 1 && first !== undefined ? bufferOf(first) : Buffer.concat(this.#chunks);
		this.#chunks = [joined];
		return joined;
	}
}

function readMessage(message: Buffer): StreamEvent {
	const end = message.length - CHECKSUM_BYTES;
	if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
		throw unreadable("a checksum is wrong", message);
	}
	const payload = PRELUDE_BYTES + message.readUInt32BE(4);
	if (payload > end) throw unreadable("a length is wrong", message);
	const headers = readHeaders(message.subarray(PRELUDE_BYTES, payload));
	const data = message.subarray(payload, end).toString();
	const type = headers.get(":message-type");
	if (type === "event") return { name: headers.get(":event-type") ?? "", data, bytes: message };
	if (type === "exception") return { name: `!${headers.get(":exception-type") ?? ""}`, data, bytes: message };
	if (type !== "error") throw unreadable("a message has no type", message);
	const said = { message: headers.get(":error-message") ?? "" };
	return { name: `!${headers.get(":error-code") ?? ""}`, data: JSON.stringify(said), bytes: message };
}

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
	const headers = new Map<string, string>();
	let at = 0;
	const take = (length: number): Buffer => {
		if (at + length > bytes.length) throw unreadable("a header is cut", bytes);
		at += length;
		return bytes.subarray(at - length, at);
	};
	while (at < bytes.length) {
		const name = take(take(1).readUInt8()).toString();
		const type = take(1).readUInt8();
		if (type >= VALUE_BYTES.length) throw unreadable("a header has an unknown type", bytes);
		const value = take(VALUE_BYTES[type] ?? take(2).readUInt16BE());
		if (type === TEXT) headers.set(name, value.toString());
	}
	return headers;
}

function bufferOf(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unreadable(what: string, bytes: Buffer): UnreadableEvent {
	return new UnreadableEvent(what, bytes.subarray(0, 200).toString());
}

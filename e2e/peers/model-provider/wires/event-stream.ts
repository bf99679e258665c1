import { crc32 } from "node:zlib";
import type { JsonObject } from "../json.ts";

const STRING = 7;

/** A message of `application/vnd.amazon.eventstream`: lengths, their CRC, headers, payload, and the CRC of all. */
export function encodeMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
	const header = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
	const body = Buffer.from(payload);
	const message = Buffer.alloc(12 + header.length + body.length + 4);
	message.writeUInt32BE(message.length, 0);
	message.writeUInt32BE(header.length, 4);
	message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
	header.copy(message, 12);
	body.copy(message, 12 + header.length);
	message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
	return message;
}

function encodeHeader(name: string, value: string): Buffer {
	const key = Buffer.from(name);
	const text = Buffer.from(value);
	const length = Buffer.alloc(2);
	length.writeUInt16BE(text.length);
	return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([STRING]), length, text]);
}

/** An event of a stream of Converse. */
export function encodeEvent(type: string, payload: JsonObject): Buffer {
	return encodeMessage(
		{ ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
		JSON.stringify(payload),
	);
}

/** What ends a stream of Converse before its end. */
export function encodeException(type: string, message: string): Buffer {
	return encodeMessage(
		{ ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
		JSON.stringify({ message }),
	);
}

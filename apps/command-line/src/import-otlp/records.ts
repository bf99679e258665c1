import { pipeline, Readable, type Transform } from "node:stream";
import { promisify } from "node:util";
import { createGunzip, createZstdDecompress, zstdDecompress } from "node:zlib";
import { ByteReader } from "./byte-reader.ts";
import { readVarint } from "./protobuf.ts";
import { type Signal, signalOf } from "./signal.ts";

/** A message of a file, as it is to be sent. */
export interface FileRecord {
	/** `line 7`, or `message 3`. */
	readonly place: string;
	readonly format: "json" | "protobuf";
	readonly signal: Signal;
	readonly bytes: Buffer;
	/** Why it is nothing to be sent. */
	readonly error?: string;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
/** RFC 8878, 3.1.1 */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** Tag of `resource_spans` in an `ExportTraceServiceRequest`, and of `resource_logs`: field 1 with a length. */
const FIRST_FIELD = 0x0a;
/** A larger one is none, but a file of another kind. */
const LARGEST_MESSAGE = 256 * 1_024 * 1_024;
/** Parts of one large protobuf message are sent in requests of about this size. */
const PART_BYTES = 1_048_576;
const unzstd = promisify(zstdDecompress);

/**
 * The messages of a file of spans or log records: OTLP/JSON, one or one a line; a protobuf message; or messages behind their length in four
 * bytes, each perhaps compressed, as the Collector's file exporter writes them with `format: proto` or `compression: zstd`.
 * The file may be compressed with gzip or zstd.
 * https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/exporter/fileexporter
 */
export async function* readRecords(file: Readable): AsyncGenerator<FileRecord> {
	const raw = new ByteReader(file);
	const start = await raw.peek(4);
	if (start.subarray(0, 2).equals(GZIP)) return yield* plainRecords(inflated(raw, createGunzip()));
	if (start.equals(ZSTD)) return yield* plainRecords(inflated(raw, createZstdDecompress()));
	yield* plainRecords(raw);
	return undefined;
}

function inflated(reader: ByteReader, inflate: Transform): ByteReader {
	// Its errors reach who reads.
	pipeline(Readable.from(chunksOf(reader)), inflate, () => {});
	return new ByteReader(inflate);
}

async function* chunksOf(reader: ByteReader): AsyncGenerator<Buffer> {
	for (let chunk = await reader.read(65_536); chunk.length > 0; chunk = await reader.read(65_536)) yield chunk;
}

async function* plainRecords(reader: ByteReader): AsyncGenerator<FileRecord> {
	const start = (await reader.peek(64))
		.toString("latin1")
		.replace(/^\u00ef\u00bb\u00bf/, "")
		.trimStart();
	if (start === "" && (await reader.peek(1)).length === 0) return;
	if (start.startsWith("{") || start.startsWith("[")) yield* jsonRecords(reader);
	else if ((await reader.peek(1))[0] === FIRST_FIELD) yield* partsOfMessage(reader);
	else yield* lengthPrefixed(reader);
}

async function* jsonRecords(reader: ByteReader): AsyncGenerator<FileRecord> {
	const first = (await reader.readLine(LARGEST_MESSAGE)) ?? Buffer.alloc(0);
	// A document that is written over several lines.
	if (/^[\ufeff\s]*[[{]\s*$/.test(first.subarray(0, 64).toString()) && first.length < 64) {
		const rest = await reader.read(LARGEST_MESSAGE);
		yield jsonRecord(Buffer.concat([first, Buffer.from("\n"), rest]), "line 1");
		return;
	}
	let number = 1;
	for (let line: Buffer | undefined = first; line !== undefined; line = await reader.readLine(LARGEST_MESSAGE)) {
		if (line.length > LARGEST_MESSAGE) {
			const nothing = { place: `line ${number}`, format: "json", signal: "traces", bytes: Buffer.alloc(0) } as const;
			yield { ...nothing, error: "is larger than 256 MiB; nothing behind it was read." };
			return;
		}
		if (line.length > 1 || (line.length === 1 && line[0] !== 0x0d)) yield jsonRecord(line, `line ${number}`);
		number += 1;
	}
}

function jsonRecord(bytes: Buffer, place: string): FileRecord {
	const start = bytes.subarray(0, 200).toString();
	const signal = /"resource_?Spans"/i.test(start) ? "traces" : /"resource_?Logs"/i.test(start) ? "logs" : undefined;
	const isOther = /"resource_?(Metrics|Profiles)"/i.test(start);
	// What says neither is sent as spans, and the server says what is wrong with it.
	return { place, format: "json", signal: signal ?? (isOther ? "other" : "traces"), bytes };
}

/** One message is sent in parts, each of some of its `resource_spans` or `resource_logs`: that is the same. */
async function* partsOfMessage(reader: ByteReader): AsyncGenerator<FileRecord> {
	let parts: Buffer[] = [];
	let size = 0;
	let number = 1;
	const flush = (): FileRecord => {
		const bytes = Buffer.concat(parts);
		const record = { place: `part ${number}`, format: "protobuf", signal: signalOf(bytes), bytes } as const;
		[parts, size, number] = [[], 0, number + 1];
		return record;
	};
	for (let head = await reader.peek(6); head.length > 0; head = await reader.peek(6)) {
		const length = head[0] === FIRST_FIELD ? readVarint(head.subarray(1)) : undefined;
		if (length === undefined || length.value > LARGEST_MESSAGE) {
			if (size > 0) yield flush();
			yield { ...flush(), error: "is neither OTLP in JSON nor in protobuf." };
			return;
		}
		const wanted = 1 + length.end + length.value;
		const field = await reader.read(wanted);
		parts.push(field);
		size += field.length;
		if (field.length < wanted) {
			yield { ...flush(), error: "is cut off." };
			return;
		}
		if (size >= PART_BYTES) yield flush();
	}
	if (size > 0) yield flush();
}

async function* lengthPrefixed(reader: ByteReader): AsyncGenerator<FileRecord> {
	for (let number = 1; ; number += 1) {
		const place = `message ${number}`;
		const prefix = await reader.read(4);
		if (prefix.length === 0) return;
		const length = prefix.length === 4 ? prefix.readUInt32BE() : 0;
		const nothing = { place, format: "protobuf", signal: "traces", bytes: prefix } as const;
		if (prefix.length < 4 || length > LARGEST_MESSAGE) {
			yield {
				...nothing,
				error: number === 1 ? "is neither OTLP in JSON nor in protobuf." : "is cut off, or something else.",
			};
			return;
		}
		const bytes = await reader.read(length);
		if (bytes.length < length) {
			yield { ...nothing, error: "is cut off." };
			return;
		}
		const message = await uncompressed(bytes);
		if (message === undefined) yield { ...nothing, error: "is damaged: it cannot be decompressed." };
		else if (message[0] === 0x7b) yield jsonRecord(message, place);
		else yield { place, format: "protobuf", signal: signalOf(message), bytes: message };
	}
}

async function uncompressed(bytes: Buffer): Promise<Buffer | undefined> {
	if (!bytes.subarray(0, 4).equals(ZSTD)) return bytes;
	try {
		return await unzstd(bytes, { maxOutputLength: LARGEST_MESSAGE });
	} catch (error) {
		if (error instanceof Error && "code" in error) return undefined;
		throw error;
	}
}

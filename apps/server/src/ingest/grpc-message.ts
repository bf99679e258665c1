import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { aborted, queueFull, tooLarge } from "./answers.ts";
import { FRAME_HEADER_BYTES, GRPC_STATUS, type GrpcRefusal, refusalOf } from "./grpc-answer.ts";
import type { ExportAnswer, ExportRequest, Reservation } from "./ingest.ts";

export type ReceivedMessage =
	| { readonly body: Uint8Array<ArrayBuffer>; readonly encoding: ExportRequest["encoding"] }
	| { readonly refused: GrpcRefusal; readonly counted?: ExportAnswer };

const ENCODINGS: ReadonlySet<string> = new Set(["identity", "gzip", "deflate", "zstd"]);

/** Reads the one message of a unary call, of at most `limitBytes` on the wire, growing `reservation` as it arrives. */
export function receiveGrpcMessage(
	stream: ServerHttp2Stream,
	headers: IncomingHttpHeaders,
	reservation: Reservation,
	limitBytes: number,
): Promise<ReceivedMessage> {
	return new Promise((resolve) => {
		let chunks: Buffer[] = [];
		let total = 0;
		let settled = false;
		const refuse = (answer: ExportAnswer) => {
			if (settled) return;
			settled = true;
			stream.off("data", onData);
			chunks = [];
			resolve({ refused: refusalOf(answer), counted: answer });
		};
		const onData = (chunk: Buffer) => {
			total += chunk.byteLength;
			if (total > limitBytes + FRAME_HEADER_BYTES) refuse(tooLarge(limitBytes, "SERVICE_OTLP_MAX_BODY_BYTES"));
			else if (!reservation.grow(chunk.byteLength)) refuse(queueFull());
			else chunks.push(chunk);
		};
		stream.on("data", onData);
		stream.on("end", () => {
			if (settled) return;
			settled = true;
			resolve(readMessage(chunks, total, headers["grpc-encoding"]));
		});
		stream.on("close", () => refuse(aborted()));
	});
}

function readMessage(
	chunks: readonly Buffer[],
	total: number,
	grpcEncoding: string | string[] | undefined,
): ReceivedMessage {
	const header = Buffer.concat(chunks.slice(0, FRAME_HEADER_BYTES)).subarray(0, FRAME_HEADER_BYTES);
	if (total < FRAME_HEADER_BYTES || header.readUInt32BE(1) !== total - FRAME_HEADER_BYTES) {
		const message = "The call has to carry one whole message.";
		return { refused: { code: GRPC_STATUS.invalidArgument, message } };
	}
	const compressed = header[0] === 1;
	const encoding = compressed ? String(grpcEncoding ?? "") : "identity";
	if (!isEncoding(encoding) || (compressed && encoding === "identity")) {
		const message = `Unsupported grpc-encoding: ${encoding}. Send gzip, deflate, zstd or identity.`;
		return { refused: { code: GRPC_STATUS.unimplemented, message } };
	}
	return { body: joinContent(chunks, total), encoding };
}

/** The chunks without the first five bytes, in a buffer of their own. */
function joinContent(chunks: readonly Buffer[], total: number): Uint8Array<ArrayBuffer> {
	const content = new Uint8Array(total - FRAME_HEADER_BYTES);
	let at = -FRAME_HEADER_BYTES;
	for (const chunk of chunks) {
		const part = at < 0 ? chunk.subarray(Math.min(-at, chunk.byteLength)) : chunk;
		content.set(part, Math.max(0, at));
		at += chunk.byteLength;
	}
	return content;
}

function isEncoding(value: string): value is ExportRequest["encoding"] {
	return ENCODINGS.has(value);
}

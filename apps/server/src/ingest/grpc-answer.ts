import type { ServerHttp2Stream } from "node:http2";
import { encodeStatus } from "./export-response.ts";
import type { ExportAnswer } from "./ingest.ts";

/** https://grpc.io/docs/guides/status-codes/ */
export const GRPC_STATUS = { ok: 0, invalidArgument: 3, unimplemented: 12, internal: 13 } as const;

export interface GrpcRefusal {
	readonly code: number;
	/** A sentence for the caller. */
	readonly message: string;
	/** `google.rpc.Status`, when it says more than code and message: when to retry. */
	readonly details?: Uint8Array;
}

const HEADERS = {
	":status": 200,
	"content-type": "application/grpc+proto",
	"grpc-accept-encoding": "identity,gzip,deflate,zstd",
};
/** Of a message on the wire: a flag that it is compressed, and its length. */
export const FRAME_HEADER_BYTES = 5;

export function refusalOf(answer: ExportAnswer): GrpcRefusal {
	const { code, message, retryAfter } = answer;
	return { code, message, ...(retryAfter === undefined ? {} : { details: encodeStatus(answer) }) };
}

/** Ends the call with a message and the status OK. */
export function sendMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
	if (stream.closed || stream.destroyed) return;
	stream.respond(HEADERS, { waitForTrailers: true });
	stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(GRPC_STATUS.ok) }));
	const frame = Buffer.alloc(FRAME_HEADER_BYTES + message.byteLength);
	frame.writeUInt32BE(message.byteLength, 1);
	frame.set(message, FRAME_HEADER_BYTES);
	stream.end(frame);
}

/** Ends the call without a message. What the caller still sends is read and dropped. */
export function sendRefusal(stream: ServerHttp2Stream, { code, message, details }: GrpcRefusal): void {
	if (stream.closed || stream.destroyed || stream.headersSent) return;
	stream.respond(
		{
			...HEADERS,
			"grpc-status": String(code),
			"grpc-message": encodeURI(message.toWellFormed()),
			...(details === undefined ? {} : { "grpc-status-details-bin": Buffer.from(details).toString("base64") }),
		},
		{ endStream: true },
	);
	stream.resume();
}

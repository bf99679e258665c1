import type { ServerHttp2Stream } from "node:http2";
import { RPC_CODE } from "./answers.ts";
import { encodeStatus } from "./export-response.ts";
import { FRAME_HEADER_BYTES } from "./grpc-message.ts";
import type { ExportAnswer } from "./ingest.ts";

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
export function refusalOf(answer: ExportAnswer): GrpcRefusal {
	const { code, message, retryAfter } = answer;
	return { code, message, ...(retryAfter === undefined ? {} : { details: encodeStatus(answer) }) };
}

/** Ends the call with a message and the status OK. */
export function sendMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
	if (stream.closed || stream.destroyed) return;
	stream.respond(HEADERS, { waitForTrailers: true });
	stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(RPC_CODE.ok) }));
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

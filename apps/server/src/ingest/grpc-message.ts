import { badMessage, unsupportedGrpcEncoding } from "./answers.ts";
import type { ExportAnswer, ExportRequest } from "./ingest.ts";

/** Before each message on the wire: the compressed flag and the length. */
export const FRAME_HEADER_BYTES = 5;

const ENCODINGS: ReadonlySet<string> = new Set(["identity", "gzip", "deflate", "zstd"]);

export type GrpcMessage =
	| { readonly body: Uint8Array<ArrayBuffer>; readonly encoding: ExportRequest["encoding"] }
	| { readonly refused: ExportAnswer };

/** Takes the one message of a unary call out of its frame. */
export function readGrpcMessage(frame: Uint8Array<ArrayBuffer>, grpcEncoding: string | undefined): GrpcMessage {
	const length = frame.byteLength - FRAME_HEADER_BYTES;
	const flag = frame[0] ?? 0;
	if (length < 0 || flag > 1 || new DataView(frame.buffer).getUint32(1) !== length) return { refused: badMessage() };
	const compressed = flag === 1;
	const encoding = compressed ? (grpcEncoding ?? "") : "identity";
	if (!isEncoding(encoding) || (compressed && encoding === "identity")) {
		return { refused: unsupportedGrpcEncoding(encoding) };
	}
	return { body: frame.subarray(FRAME_HEADER_BYTES), encoding };
}

function isEncoding(value: string): value is ExportRequest["encoding"] {
	return ENCODINGS.has(value);
}

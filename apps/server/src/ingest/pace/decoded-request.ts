import type { DecodedExport, Undecodable } from "../decode-export.ts";
import type { GroupMember } from "../group-writer.ts";
import type { QueuedRequest, RequestToDecode } from "../worker-messages.ts";

/** A request of the queue, decoded, with the memory that it holds. */
export interface DecodedRequest {
	readonly member: GroupMember;
	readonly buffers: readonly Uint8Array[];
	/** Of the buffers. */
	readonly bytes: number;
	/** Of its body, which the queue's limit counts. */
	readonly bodyBytes: number;
	/** Spans and log records to store. */
	readonly rows: number;
}

export function decodeRequest(
	request: QueuedRequest,
	decode: (request: RequestToDecode) => DecodedExport | Undecodable,
): DecodedRequest {
	const decoded = decode(request);
	const buffers: Uint8Array[] = [request.body];
	if ("message" in decoded && decoded.message.buffer !== request.body.buffer) buffers.push(decoded.message);
	return {
		member: { id: request.id, decoded, sender: request.sender },
		buffers,
		bytes: buffers.reduce((sum, { byteLength }) => sum + byteLength, 0),
		bodyBytes: request.body.byteLength,
		rows: "message" in decoded ? decoded.spans.length + decoded.logs.length : 0,
	};
}

/** Gives memory back. Without this the buffers would wait for the garbage collector, megabytes at a time. */
export function freeAll(requests: readonly DecodedRequest[]): void {
	for (const { buffers } of requests) for (const bytes of buffers) free(bytes);
}

/** Small results of zlib may lie in Node's shared pool, which is not ours to free. */
function free({ buffer, byteLength }: Uint8Array): void {
	if (byteLength > Buffer.poolSize && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

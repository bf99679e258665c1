import type { IncomingMessage } from "node:http";
import { aborted, queueFull, tooLarge } from "./answers.ts";
import type { ExportAnswer, Ingest, Reservation } from "./ingest.ts";

export type ReceivedBody =
	| { readonly body: Uint8Array<ArrayBuffer>; readonly reservation?: Reservation }
	| { readonly refused: ExportAnswer };

/**
 * Reads a body of at most `limitBytes`, chunked or not, counting its bytes against the queue as they arrive. The rest of a
 * refused body is read and dropped, so that the sender gets to the answer.
 */
export function receiveBody(stream: IncomingMessage, ingest: Ingest, limitBytes: number): Promise<ReceivedBody> {
	const reservation = ingest.reserve(0);
	if (reservation === undefined) return Promise.resolve({ refused: queueFull() });
	return new Promise((resolve) => {
		let chunks: Buffer[] = [];
		let total = 0;
		let settled = false;
		const refuse = (refused: ExportAnswer) => {
			if (settled) return;
			settled = true;
			stream.off("data", onData);
			stream.resume();
			chunks = [];
			reservation.release();
			resolve({ refused });
		};
		const onData = (chunk: Buffer) => {
			total += chunk.byteLength;
			if (total > limitBytes) refuse(tooLarge(limitBytes, "SERVICE_OTLP_MAX_BODY_BYTES"));
			else if (!reservation.grow(chunk.byteLength)) refuse(queueFull());
			else chunks.push(chunk);
		};
		stream.on("data", onData);
		stream.on("end", () => {
			if (settled) return;
			settled = true;
			resolve({ body: join(chunks, total), reservation });
		});
		stream.on("error", () => refuse(aborted()));
		stream.on("close", () => refuse(aborted()));
	});
}

function join(chunks: readonly Buffer[], total: number): Uint8Array<ArrayBuffer> {
	const body = new Uint8Array(total);
	let at = 0;
	for (const chunk of chunks) {
		body.set(chunk, at);
		at += chunk.byteLength;
	}
	return body;
}

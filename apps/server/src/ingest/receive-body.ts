import type { Readable } from "node:stream";
import { IncomingMessage } from "#base/node-http.ts";
import { aborted, queueFull, tooLarge } from "./answers.ts";
import type { ExportAnswer, Ingest, Reservation } from "./ingest.ts";

export interface ReceivedBody {
	/** The only view of its buffer. */
	readonly body: Uint8Array<ArrayBuffer>;
	readonly reservation: Reservation;
}

/**
 * Milliseconds. A sender that is silent for so long in the middle of a request is hung up on, which frees its place.
 */
export const SILENCE_MS = 60_000;

/** Reserved before a body is read; what most exports need. More is reserved as it arrives, not as it is announced. */
const FIRST_RESERVATION_BYTES = 1_048_576;
const NEXT_RESERVATION_BYTES = 262_144;

/**
 * Waits for room in the queue, unread, then reads a body of at most `limitBytes`.
 * @param announcedBytes its length when it is known
 */
export async function receiveBody(
	stream: Readable,
	ingest: Ingest,
	limitBytes: number,
	announcedBytes: number | undefined,
): Promise<ReceivedBody | { readonly refused: ExportAnswer }> {
	if (ingest.refusing !== undefined) return refuse(stream, ingest.refusing);
	const first = Math.min(announcedBytes ?? NEXT_RESERVATION_BYTES, FIRST_RESERVATION_BYTES);
	const reservation = await ingest.admit(first);
	if (reservation === undefined) return refuse(stream, queueFull());
	const received = await readChunks(stream, reservation, first, limitBytes);
	if (Array.isArray(received)) {
		const body = join(received);
		if (stream instanceof IncomingMessage) received.forEach(free);
		return { body, reservation };
	}
	reservation.release();
	return refuse(stream, received);
}

/** What is left of the body is passed over, so that a sender who reads no answer before it has sent all gets it. */
function refuse(stream: Readable, refused: ExportAnswer): { readonly refused: ExportAnswer } {
	if (stream instanceof IncomingMessage) stream.on("data", free);
	return { refused };
}

async function readChunks(
	stream: Readable,
	reservation: Reservation,
	reservedFirst: number,
	limitBytes: number,
): Promise<Buffer[] | ExportAnswer> {
	const chunks: Buffer[] = [];
	let total = 0;
	let reserved = reservedFirst;
	try {
		// Not destroyed when the loop is left: the answer still has to go out.
		for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
			total += chunk.byteLength;
			if (total > limitBytes) return tooLarge(limitBytes, "SERVICE_OTLP_MAX_BODY_BYTES");
			if (total > reserved) {
				const more = Math.max(total - reserved, NEXT_RESERVATION_BYTES);
				if (!(await reservation.grow(more))) return queueFull();
				reserved += more;
			}
			chunks.push(chunk);
		}
	} catch (error) {
		if (stream.readableEnded) throw error;
		return aborted();
	}
	return chunks;
}

function join(chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
	const body = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
	let at = 0;
	for (const chunk of chunks) {
		body.set(chunk, at);
		at += chunk.byteLength;
	}
	return body;
}

/**
 * Gives the memory of a chunk back at once: at hundreds of megabytes a second the garbage collector would run for it all
 * the time, a third of the main thread's work. HTTP/1 chunks own their memory; HTTP/2's are pieces of a shared one.
 */
function free({ buffer, byteLength }: Buffer): void {
	if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

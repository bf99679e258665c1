import { pipeline, Readable } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { eventCounter } from "./event-sizes.ts";
import { OutgoingFault } from "./outgoing-fault.ts";

const MIB = 1_048_576;
const MAX_ANSWER_BYTES = 64 * MIB;
const MAX_EVENT_BYTES = 4 * MIB;

/** RFC 9659: a larger window would let a few bytes claim 128 MiB. */
const ZSTD_WINDOW_LOG = 23;

const INFLATERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
	gzip: createGunzip,
	"x-gzip": createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
	zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

/**
 * The pieces of an answer, inflated as they arrive, until one makes it or one of its events too large.
 * @param encoding the header `content-encoding`
 */
export function boundedBody(
	pieces: AsyncIterable<Uint8Array>,
	encoding: string,
	contentType: string,
): AsyncIterable<Uint8Array> {
	return bounded(inflated(pieces, encoding), eventCounter(contentType));
}

function inflated(pieces: AsyncIterable<Uint8Array>, encoding: string): AsyncIterable<Uint8Array> {
	const codings = encoding
		.toLowerCase()
		.split(",")
		.map((coding) => coding.trim())
		.filter((coding) => coding !== "" && coding !== "identity");
	const [coding] = codings;
	if (coding === undefined) return pieces;
	const inflater = Object.hasOwn(INFLATERS, coding) ? INFLATERS[coding] : undefined;
	if (inflater === undefined || codings.length > 1) {
		throw new OutgoingFault("bad_response", "The answer is compressed in a way that was not asked for.");
	}
	// Whoever reads from the inflater gets the error of either.
	return pipeline(Readable.from(pieces), inflater(), () => {});
}

async function* bounded(
	pieces: AsyncIterable<Uint8Array>,
	countEvent: ((piece: Uint8Array) => number) | undefined,
): AsyncGenerator<Uint8Array> {
	let total = 0;
	for await (const piece of pieces) {
		total += piece.length;
		if (total > MAX_ANSWER_BYTES) {
			throw new OutgoingFault("bad_response", "The answer is larger than 64 MiB, counted without compression.");
		}
		if ((countEvent?.(piece) ?? 0) > MAX_EVENT_BYTES) {
			throw new OutgoingFault("bad_response", "An event of the answer is larger than 4 MiB.");
		}
		yield piece;
	}
}

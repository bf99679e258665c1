import { constants, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import type { ExportRequest } from "./ingest.ts";

export class CorruptCompression extends Error {
	override readonly name = "CorruptCompression";
}

export class InflatedTooLarge extends Error {
	override readonly name = "InflatedTooLarge";
}

/** RFC 9659: for Content-Encoding a decoder need not, so we do not, allow windows above 8 MiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

/** No deflate stream grows more than this. */
const DEFLATE_MAX_RATIO = 1_032;

/**
 * Inflates a body; never holds more than about `maxBytes` of output, however small the input.
 * Takes several gzip members or zstd frames in a row, and deflate with or without the zlib wrapper (senders disagree).
 * @throws CorruptCompression | InflatedTooLarge
 */
export function inflate(body: Uint8Array, encoding: ExportRequest["encoding"], maxBytes: number): Uint8Array {
	if (body.byteLength === 0) return body;
	try {
		return inflateBody(body, encoding, maxBytes);
	} catch (error) {
		const code = error instanceof Error && "code" in error ? String(error.code) : "";
		if (code === "ERR_BUFFER_TOO_LARGE") throw new InflatedTooLarge(undefined, { cause: error });
		if (code.startsWith("Z_") || code.startsWith("ZSTD_")) throw new CorruptCompression(undefined, { cause: error });
		throw error;
	}
}

function inflateBody(body: Uint8Array, encoding: ExportRequest["encoding"], maxBytes: number): Uint8Array {
	switch (encoding) {
		case "identity":
			if (body.byteLength > maxBytes) throw new InflatedTooLarge();
			return body;
		case "gzip":
			return gunzipSync(body, outputOptions(gzipSize(body), body, maxBytes));
		case "deflate": {
			const options = outputOptions(body.byteLength * 8, body, maxBytes);
			return hasZlibHeader(body) ? inflateSync(body, options) : inflateRawSync(body, options);
		}
		case "zstd":
			return zstdDecompressSync(body, {
				...outputOptions(body.byteLength * 8, body, maxBytes),
				params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
			});
	}
}

/** zlib fills pieces of `chunkSize` and joins them: one piece of about the right size spares the copy. */
function outputOptions(expectedBytes: number, body: Uint8Array, maxBytes: number) {
	const possible = Math.min(expectedBytes, body.byteLength * DEFLATE_MAX_RATIO, maxBytes);
	return { maxOutputLength: maxBytes, chunkSize: Math.max(1_024, possible + 1) };
}

/** RFC 1952: the last four bytes are the inflated size of the last member; a hint only, as the sender says it. */
function gzipSize(body: Uint8Array): number {
	if (body.byteLength < 18) return 1_024;
	return new DataView(body.buffer, body.byteOffset + body.byteLength - 4, 4).getUint32(0, true);
}

/** RFC 1950: compression method 8, and the first two bytes are a multiple of 31. */
function hasZlibHeader(body: Uint8Array): boolean {
	const first = body[0] ?? 0;
	return (first & 0x0f) === 8 && ((first << 8) | (body[1] ?? 0)) % 31 === 0;
}

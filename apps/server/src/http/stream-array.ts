import { Readable } from "node:stream";

/** Items that are read at a time, and so what an answer holds in memory. */
export const CHUNK = 200;
export const CHUNK_BYTES = 4 * 1_024 * 1_024;

/** A body of texts; the next one is made only when the reader has taken the one before. */
export function streamOf(texts: AsyncIterable<string>): Readable {
	return Readable.from(texts, { objectMode: false, highWaterMark: 65_536 });
}

/** A JSON array, a chunk of its items at a time. */
export async function* arrayText(chunks: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
	let separator = "[";
	for await (const chunk of chunks) {
		if (chunk.length === 0) continue;
		yield separator + chunk.map((item) => JSON.stringify(item)).join(",");
		separator = ",";
	}
	yield separator === "[" ? "[]" : "]";
}

/** The chunks, as long as `mayContinue` does not throw: a reader who loses the right to read gets no more. */
export async function* whileAllowed<T>(
	chunks: AsyncIterable<T>,
	mayContinue: () => Promise<unknown>,
): AsyncGenerator<T> {
	let isFirst = true;
	for await (const chunk of chunks) {
		if (!isFirst) await mayContinue();
		isFirst = false;
		yield chunk;
	}
}

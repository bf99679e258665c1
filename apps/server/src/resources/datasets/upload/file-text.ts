import { pipeline, type Readable } from "node:stream";
import { createUnzip } from "node:zlib";
import { cut } from "../cut-text.ts";
import { invalid, uploadTooLarge } from "./uploaded-rows.ts";

const COMPRESSED: ReadonlySet<string> = new Set(["gzip", "deflate"]);
const PLAIN: ReadonlySet<string> = new Set(["none", "identity", ""]);

/** @throws UserError 422 for unknown encodings */
export function assertContentEncoding(contentEncoding: string): void {
	if (COMPRESSED.has(contentEncoding) || PLAIN.has(contentEncoding)) return;
	throw invalid(`The file's Content-Encoding should be gzip, deflate or none, not ${cut(contentEncoding)}`);
}

export function isCompressed(contentEncoding: string): boolean {
	return COMPRESSED.has(contentEncoding);
}

/**
 * The bytes of a file, inflated.
 * @throws UserError 413 when there are more than `maxBytes`, 422 when they do not inflate
 */
export async function* readBytes(file: Readable, contentEncoding: string, maxBytes: number): AsyncGenerator<Buffer> {
	const source = isCompressed(contentEncoding) ? pipeline(file, createUnzip(), () => undefined) : file;
	let bytes = 0;
	try {
		for await (const chunk of source as AsyncIterable<Buffer>) {
			bytes += chunk.length;
			if (bytes > maxBytes) throw uploadTooLarge();
			yield chunk;
		}
	} catch (error) {
		if (!(error instanceof Error) || !("code" in error) || !/^Z_/.test(String(error.code))) throw error;
		throw invalid(`The file is not valid ${contentEncoding}: ${error.message}`);
	}
}

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark.
 * @throws UserError 422 when it is in another encoding
 */
export async function* readText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
	let decoder: TextDecoder | undefined;
	let lines = 1;
	for await (const chunk of bytes) {
		const isUtf16 = decoder === undefined && chunk[0] === 0xff && chunk[1] === 0xfe;
		decoder ??= new TextDecoder(isUtf16 ? "utf-16le" : "utf-8", { fatal: true });
		const text = decode(decoder, chunk, lines);
		lines += countLines(text);
		yield text;
	}
	if (decoder !== undefined) yield decode(decoder, undefined, lines);
}

function decode(decoder: TextDecoder, chunk: Buffer | undefined, line: number): string {
	try {
		return decoder.decode(chunk, { stream: chunk !== undefined });
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		const [before = ""] = (chunk?.toString("utf8") ?? "").split("\uFFFD", 1);
		throw invalid(`line ${line + countLines(before)}: the text is not in UTF-8; save the file in this encoding`);
	}
}

function countLines(text: string): number {
	let lines = 0;
	for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
	return lines;
}

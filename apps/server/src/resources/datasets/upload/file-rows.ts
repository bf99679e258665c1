import { read } from "node:fs";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import type { Columns } from "../columns.ts";
import { MAX_ARROW_BYTES, readArrow } from "./arrow-rows.ts";
import { readCsv } from "./csv-rows.ts";
import { readBytes, readText } from "./file-text.ts";
import { readJsonLines } from "./jsonl-rows.ts";
import type { UploadedRow } from "./uploaded-rows.ts";

/** How a file is to be read. */
export interface FileTask {
	readonly contentType: "csv" | "jsonl" | "arrow";
	readonly contentEncoding: string;
	readonly columns: Columns;
	/** Limit for the inflated file, and for its examples together. */
	readonly maxBytes: number;
}

/**
 * The examples of a file.
 * @param fd of the file, which stays open
 * @throws UserError 413, 422
 */
export function readFileRows(
	fd: number,
	{ contentType, contentEncoding, columns, maxBytes }: FileTask,
): AsyncIterable<UploadedRow> {
	const source = () => Readable.from(chunksOf(fd), { objectMode: false });
	const text = () => readText(readBytes(source(), contentEncoding, maxBytes));
	switch (contentType) {
		case "csv":
			return readCsv(text, columns);
		case "jsonl":
			return readJsonLines(text, columns);
		case "arrow":
			return readArrow(() => readBytes(source(), contentEncoding, Math.min(maxBytes, MAX_ARROW_BYTES)), columns);
	}
}

const readAt = promisify(read);

/** Not by `createReadStream`, which closes the file when it is destroyed, whatever its options say. */
async function* chunksOf(fd: number): AsyncGenerator<Buffer> {
	for (let position = 0; ; ) {
		const { bytesRead, buffer } = await readAt(fd, { buffer: Buffer.allocUnsafe(65_536), position });
		if (bytesRead === 0) return;
		position += bytesRead;
		yield buffer.subarray(0, bytesRead);
	}
}

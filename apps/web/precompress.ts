import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

const FORMATS = {
	".br": (data: Buffer) => brotli(data, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
	".gz": (data: Buffer) => deflate(data, { level: constants.Z_BEST_COMPRESSION }),
};

/**
 * Writes each file below assets/ also in Brotli and gzip, as small as they can be, for the server to send as it is: what is
 * compressed once may take the time that it cannot take at each request.
 */
export function precompress(): Plugin {
	return {
		name: "precompress",
		apply: "build",
		async writeBundle({ dir = "" }, bundle) {
			const files = Object.values(bundle).filter(({ fileName }) => fileName.startsWith("assets/"));
			await Promise.all(
				files.flatMap((file) => {
					const data = Buffer.from(file.type === "chunk" ? file.code : file.source);
					return Object.entries(FORMATS).map(async ([ending, compress]) =>
						writeFile(join(dir, file.fileName + ending), await compress(data)),
					);
				}),
			);
		},
	};
}

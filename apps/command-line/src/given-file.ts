import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Io } from "./io.ts";

/** The contents of a file; `-` is standard input. */
export async function readGiven({ stdin }: Pick<Io, "stdin">, path: string): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(path === "-" ? await buffer(stdin) : await readFile(path));
}

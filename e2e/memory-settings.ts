import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface MemorySettings {
	/** Where Node keeps compiled code. */
	readonly COMPILE_CACHE: Readonly<Record<string, string>>;
	/** Variables of glibc. */
	readonly MALLOC: Readonly<Record<string, string>>;
	/** Flags of V8. */
	readonly SMALL_HEAPS: readonly string[];
}

/** Has no types, as it runs on any Node. */
const SETUP = pathToFileURL(join(import.meta.dirname, "../scripts/setup.mjs")).href;

/** What `npm start` runs the server with. */
export const { COMPILE_CACHE, MALLOC, SMALL_HEAPS }: MemorySettings = await import(SETUP);

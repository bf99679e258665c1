import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface MemorySettings {
	/** Variables of glibc. */
	readonly MALLOC: Readonly<Record<string, string>>;
	/** Flags of V8. */
	readonly SMALL_HEAPS: readonly string[];
}

/** Has no types, as it runs on any Node. */
const SETUP = pathToFileURL(join(import.meta.dirname, "../scripts/setup.mjs")).href;

/** What `npm start` runs the server with. */
export const { MALLOC, SMALL_HEAPS }: MemorySettings = await import(SETUP);

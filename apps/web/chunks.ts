import { join } from "node:path";
import type { Rolldown } from "vite";

type Context = Parameters<Rolldown.CodeSplittingNameFunction>[1];

/** Every page needs their modules: `base` those that the pages of sign-in need too, `start` what runs before `app` is there. */
const CHUNKS = ["base", "start", "app"];

/**
 * Groups for the modules that every page needs. Left to itself, the bundler makes a file for each set of entries that share
 * a module: 70 files for the first page of traces, many of them smaller than the headers of their request.
 */
export function sharedChunks(): Rolldown.CodeSplittingGroup[] {
	let chunks: ReadonlyMap<string, string> | undefined;
	return CHUNKS.map((chunk, index) => ({
		name: (id, context) => {
			chunks ??= chunksOfModules(context);
			return chunks.get(id) === chunk ? chunk : null;
		},
		debugName: chunk,
		// A group takes along what its modules import, unless a group of higher priority has it.
		priority: CHUNKS.length - index,
	}));
}

function chunksOfModules(context: Context): Map<string, string> {
	const start = importedBy("start-app.ts", context);
	const signIn = importedBy("sign-in/sign-in-app.tsx", context);
	const main = importedBy("main.tsx", context);
	const chunkOf = (id: string) => (signIn.has(id) || main.has(id) ? "base" : start.has(id) ? "start" : "app");
	return new Map([...start, ...importedBy("app.tsx", context)].map((id) => [id, chunkOf(id)]));
}

/** Ids of the module at `path` below src, and of all that it imports statically. */
function importedBy(path: string, context: Context): Set<string> {
	const found = new Set([join(import.meta.dirname, "src", path)]);
	for (const id of found) {
		for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
	}
	return found;
}

import { join } from "node:path";
import type { Rolldown } from "vite";

type Context = Parameters<Rolldown.CodeSplittingNameFunction>[1];

/**
 * Every page needs the modules of the first three: `base` those that the pages of sign-in need too, `start` what runs
 * before `app` is there. `sign-in` are the others of those pages, `list` those that the list of traces shares with others.
 */
const CHUNKS = ["base", "start", "app", "sign-in", "list"];
/** What the bundler adds to each build for modules that are not ES modules. */
const RUNTIME = "\0rolldown/runtime.js";
/** A file smaller than this costs more to ask for than to load along with its neighbour. */
const SMALL_BYTES = 12_000;

/**
 * Groups of modules. Left to itself, the bundler makes a file for each set of entries that share a module: 70 files for the
 * first page of traces, many of them smaller than the headers of their request.
 */
export function sharedChunks(): Rolldown.CodeSplittingGroup[] {
	let chunks: ReadonlyMap<string, string> | undefined;
	const groups = CHUNKS.map((chunk, index) => ({
		name: (id: string, context: Context) => {
			chunks ??= chunksOfModules(context);
			return chunks.get(id) === chunk ? chunk : null;
		},
		debugName: chunk,
		minShareCount: chunk === "list" ? 2 : 1,
		// A group takes along what its modules import, unless a group of higher priority has it.
		priority: CHUNKS.length - index,
	}));
	const parts = {
		name: "parts",
		minShareCount: 2,
		entriesAware: true,
		entriesAwareMergeThreshold: SMALL_BYTES,
		priority: 0,
	};
	return [...groups, parts];
}

function chunksOfModules(context: Context): Map<string, string> {
	const start = importedBy("start-app.ts", context);
	const signIn = importedBy("sign-in/sign-in-app.tsx", context);
	const main = importedBy("main.tsx", context);
	const app = importedBy("app.tsx", context);
	const chunkOf = (id: string) => {
		if (signIn.has(id) || main.has(id)) return "base";
		return start.has(id) ? "start" : "app";
	};
	return new Map([
		[RUNTIME, "base"],
		...[...importedBy("routes/traces-route.tsx", context)].map((id) => [id, "list"] as const),
		...[...signIn].map((id) => [id, "sign-in"] as const),
		...[...start, ...app, ...main].map((id) => [id, chunkOf(id)] as const),
	]);
}

/** Ids of the module at `path` below src, and of all that it imports statically. */
function importedBy(path: string, context: Context): Set<string> {
	const found = new Set([join(import.meta.dirname, "src", path)]);
	for (const id of found) {
		for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
	}
	return found;
}

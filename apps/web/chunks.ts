import { join } from "node:path";
import type { Plugin, Rolldown } from "vite";

type Context = Parameters<Rolldown.CodeSplittingNameFunction>[1];

/**
 * Every page needs the modules of the first three: `base` those that the pages of sign-in and for programs need too, or that run before the
 * others are there, and `react`. `sign-in` are the others of those pages, `list` and `trace` are those that
 * the list of traces and a trace share with others, without `grid`, which every list needs, and `content`, which shows
 * texts and JSON and is needed by pages that have nothing else in common with a trace, such as Settings → Sign-in.
 */
const CHUNKS = ["base", "react", "app", "sign-in", "grid", "content", "list", "trace"];
/** Nearly every page needs them, though the app does not before one is opened. */
const ON_EVERY_PAGE = [
	...["lib/page-title.ts", "lib/project-role.ts", "ui/menu-button.tsx", "ui/relative-time.tsx", "ui/skeleton.tsx"],
];
/** Changes less often than the app, so browsers keep it when Spanward is upgraded. */
const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\//;
/** What the bundler adds to each build for modules that are not ES modules. */
const RUNTIME = "\0rolldown/runtime.js";

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
		minShareCount: chunk === "list" || chunk === "trace" ? 2 : 1,
		// A group takes along what its modules import, unless a group of higher priority has it.
		priority: CHUNKS.length - index,
	}));
	// Small ones are not merged: files that import each other run in an order in which something is not there yet.
	const parts = {
		name: "parts",
		minShareCount: 2,
		entriesAware: true,
		priority: 0,
	};
	return [...groups, parts];
}

/**
 * Fails the build when files import each other in a circle, in which one of them would run before what it needs.
 * @throws naming the files
 */
export function refuseCircles(): Plugin {
	return {
		name: "refuse-circles",
		generateBundle(_options, bundle) {
			const importsOf = new Map(
				Object.values(bundle).flatMap((file) =>
					file.type === "chunk" ? [[file.fileName, file.imports] as const] : [],
				),
			);
			const done = new Set<string>();
			const visit = (file: string, path: readonly string[]) => {
				if (path.includes(file)) this.error(`files import each other: ${[...path, file].join(" → ")}`);
				if (done.has(file)) return;
				for (const imported of importsOf.get(file) ?? []) visit(imported, [...path, file]);
				done.add(file);
			};
			for (const file of importsOf.keys()) visit(file, []);
		},
	};
}

function chunksOfModules(context: Context): Map<string, string> {
	const signIn = importedBy("sign-in/sign-in-app.tsx?sign-in", context);
	const programs = importedBy("sign-in/programs/programs-app.tsx?sign-in", context);
	const main = importedBy("main.tsx", context);
	const list = importedBy("routes/traces-route.tsx", context);
	const trace = importedBy("pages/trace/trace-page.tsx", context);
	const texts = importedBy("pages/settings/sign-in/sign-in-page.tsx", context);
	const app = new Set([
		...["app.tsx", ...ON_EVERY_PAGE].flatMap((path) => [...importedBy(path, context)]),
		// The list of traces needs no more of them than an icon or two.
		...[...texts].filter((id) => list.has(id)),
	]);
	const chunkOf = (id: string) => {
		// What the app shares with the pages for programs is little, and they need nothing else of it.
		if (main.has(id) || signIn.has(id) || programs.has(id)) return "base";
		return REACT.test(id) ? "react" : "app";
	};
	return new Map([
		[RUNTIME, "base"],
		...[...trace].map((id) => [id, "trace"] as const),
		...[...list].map((id) => [id, "list"] as const),
		...[...texts].filter((id) => trace.has(id)).map((id) => [id, "content"] as const),
		...[...importedBy("ui/data-grid.tsx", context)].map((id) => [id, "grid"] as const),
		...[...signIn].map((id) => [id, "sign-in"] as const),
		...[...app, ...main].map((id) => [id, chunkOf(id)] as const),
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

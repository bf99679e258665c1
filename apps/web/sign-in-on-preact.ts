import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ENTRIES = /\/src\/sign-in\/(?:sign-in-app|programs\/programs-app)\.tsx$/;
/** Marks the copies of modules that the sign-in pages have for themselves. */
const COPY = "?sign-in";
const PREACT: ReadonlyMap<string, string> = new Map([
	["react", import.meta.resolve("preact/compat")],
	["react/jsx-runtime", import.meta.resolve("preact/jsx-runtime")],
	["react-dom/client", import.meta.resolve("preact/compat/client")],
]);
/** What draws something: components, and the icons. Other modules are the same ones for the sign-in pages and the app. */
const DRAWING = /\.tsx$|\/node_modules\/lucide-react\//;

/**
 * Builds the sign-in pages, and those for programs, with Preact in place of React, which is nine tenths of what they would load. Components that
 * the app shares with them are in the build twice, once for each. While developing, both run on React.
 */
export function signInOnPreact(): Plugin {
	return {
		name: "sign-in-on-preact",
		apply: "build",
		enforce: "pre",
		async resolveId(source, importer, options) {
			const isOfSignIn = importer?.endsWith(COPY) === true;
			const preact = isOfSignIn ? PREACT.get(source) : undefined;
			if (preact !== undefined) return fileURLToPath(preact);
			const found = await this.resolve(source, importer, { ...options, skipSelf: true });
			if (found === null) return found;
			const isCopied = ENTRIES.test(found.id) || (isOfSignIn && DRAWING.test(found.id));
			return isCopied ? { ...found, id: found.id + COPY } : found;
		},
	};
}

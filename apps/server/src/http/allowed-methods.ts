import type { App } from "./app-type.ts";

/** The methods that routes take at a path, sorted; none for a path that no route has. */
export type AllowedMethods = (path: string) => readonly string[];

/** Remembers the API routes that are mounted after it. */
export function collectMethods(app: App): AllowedMethods {
	const byPattern = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();
	app.addHook("onRoute", ({ url, method }) => {
		// Metrics are unknown in every method; their route only says it in a sentence.
		if (!/^\/(v1|auth|oauth2)\//.test(url) || url === "/v1/metrics") return;
		const known = byPattern.get(url) ?? { matches: toRegExp(url), methods: new Set() };
		byPattern.set(url, known);
		for (const name of Array.isArray(method) ? method : [method]) known.methods.add(name);
	});
	return (path) => {
		const matching = [...byPattern.values()].filter(({ matches }) => matches.test(path));
		return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
	};
}

/** `/v1/projects/:project_identifier` as an expression; a slash at the end is ignored, as the router does. */
function toRegExp(url: string): RegExp {
	const segments = url
		.split("/")
		.map((segment) => (segment.startsWith(":") ? "[^/]+" : segment.replaceAll(".", "\\.")));
	return new RegExp(`^${segments.join("/")}/?$`);
}

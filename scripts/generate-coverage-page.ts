/** An operation that released clients know. */
export interface ClientOperation {
	readonly method: string;
	readonly path: string;
	readonly operation: string;
	/** Why it is no part of this product. */
	readonly outOfScope?: string;
}

interface Route {
	readonly method: string | readonly string[];
	readonly url: string;
}

/** docs/api-coverage.md: which operations of released clients are there, as the mounted routes say. */
export function coveragePage(operations: readonly ClientOperation[], routes: readonly Route[]): string {
	const mounted = mountedOperations(routes);
	const inScope = operations.filter(({ outOfScope }) => outOfScope === undefined);
	const rows = inScope.map((operation) => [
		operation.operation,
		operation.method,
		`\`${operation.path}\``,
		mounted.has(keyOf(operation)) ? "yes" : "**no**",
	]);
	const others = operations.flatMap(({ method, path, outOfScope }) =>
		outOfScope === undefined ? [] : [[method, `\`${path}\``, outOfScope]],
	);
	return [
		"# Operations of released clients",
		"",
		"Every operation of the API that the released Phoenix clients use, and whether Spanward has it. Further operations of",
		"Spanward are in [openapi.json](openapi.json). This page is generated from the mounted routes by `npm run generate`.",
		"",
		`${rows.filter(([, , , there]) => there === "yes").length} of ${rows.length} are available.`,
		"",
		...table(["Operation", "Method", "Path", "Available"], rows),
		"",
		"## Out of scope",
		"",
		...table(["Method", "Path", "Reason"], others),
		"",
	].join("\n");
}

/** Operations as `GET /v1/projects/{}`: the names of parameters do not matter. */
function mountedOperations(routes: readonly Route[]): ReadonlySet<string> {
	return new Set(
		routes.flatMap(({ method, url }) =>
			(typeof method === "string" ? [method] : method).map((each) => `${each} ${url.replace(/:\w+/g, "{}")}`),
		),
	);
}

function keyOf({ method, path }: ClientOperation): string {
	return `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
	return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

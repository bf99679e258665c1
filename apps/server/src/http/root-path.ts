/** The path without the root path below which a proxy serves us; proxies that strip it themselves send none. */
export function stripRootPath(url: string, rootPath: string): string {
	if (rootPath === "" || !url.startsWith(rootPath)) return url;
	const rest = url.slice(rootPath.length);
	if (rest === "" || rest.startsWith("?")) return `/${rest}`;
	return rest.startsWith("/") ? rest : url;
}

/** RFC 9112, 3.2.2: a server accepts absolute URLs too. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/** The path without the root path below which a proxy serves us; proxies that strip it themselves send none. */
export function stripRootPath(url: string, rootPath: string): string {
	const path = url.replace(ORIGIN, "");
	if (rootPath === "" || !path.startsWith(rootPath)) return url;
	const rest = path.slice(rootPath.length);
	if (rest === "" || rest.startsWith("?")) return `/${rest}`;
	return rest.startsWith("/") ? rest : url;
}

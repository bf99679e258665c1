const MAX_LENGTH = 2048;
const START = "/";
/** Pages that are not returned to after signing in. */
const SIGN_IN = /^\/(login|logout|forgot-password|reset-password|reset-password-with-token|auth|oauth2)(\/|$)/i;
/** The one page below these where a program waits for the user. */
const CONSENT = "/oauth2/consent";
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are to be refused
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/;

/**
 * Where to go after signing in: `wanted` (path, query and fragment below `basePath`) if it is a page of this app, else the
 * start page. Never another origin, however a browser would parse the text.
 * @returns an address from the origin's root, with `basePath`
 */
export function safeReturnUrl(wanted: string | null | undefined, basePath: string, origin: string): string {
	const start = `${basePath}${START}`;
	if (!wanted || wanted.length > MAX_LENGTH || !/^\/(?![/\\])/.test(wanted) || HARMFUL.test(wanted)) return start;
	const decoded = decode(wanted);
	if (decoded === undefined || HARMFUL.test(decoded) || /^\/[/\\]/.test(decoded)) return start;
	const url = parse(`${basePath}${wanted}`, origin);
	if (url === undefined || url.origin !== origin) return start;
	// With dot segments resolved, the path may have left the base path, or begin with two slashes.
	const path = url.pathname;
	if (!path.startsWith(start) || path.startsWith("//")) return start;
	const below = path.slice(basePath.length);
	// Routes are found by the decoded path.
	if (below.startsWith("//") || (SIGN_IN.test(decode(below) ?? below) && below !== CONSENT)) return start;
	return `${path}${url.search}${url.hash}`;
}

function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch (error) {
		if (error instanceof URIError) return undefined;
		throw error;
	}
}

function parse(text: string, origin: string): URL | undefined {
	return URL.canParse(text, origin) ? new URL(text, origin) : undefined;
}

/** The page that is shown, as a `returnUrl` for {@link safeReturnUrl}. */
export function currentPage({ pathname, search, hash }: Location, basePath: string): string {
	const below = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : "/";
	return `${below}${search}${hash}`;
}

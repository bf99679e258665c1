const MAX_LENGTH = 2_048;
const START = "/";
/** Pages that nobody wants to come back to. */
const SIGN_IN = /^\/(login|logout|forgot-password|reset-password|reset-password-with-token|auth|oauth2)(\/|$)/i;
/** The one page below these where a program waits for the user. */
const CONSENT = "/oauth2/consent";
const HARMFUL = /[\p{Cc}\u2028\u2029\\]/u;
/** Stands for our own origin, which has no part in the decision. */
const ORIGIN = "http://return-path.invalid";

/**
 * Where to go after signing in: `wanted` (path, query and fragment below the root path) if it is a page of the web app,
 * else the start page. Never another origin, however a browser reads the text. The web app uses the same rules.
 * @returns an address from the origin's root, with `rootPath`
 */
export function safeReturnPath(wanted: string | undefined, rootPath: string): string {
	const start = rootPath + START;
	if (wanted === undefined || wanted.length > MAX_LENGTH || !/^\/(?![/\\])/.test(wanted) || HARMFUL.test(wanted)) {
		return start;
	}
	const decoded = decode(wanted);
	if (decoded === undefined || HARMFUL.test(decoded) || /^\/[/\\]/.test(decoded)) return start;
	const url = URL.parse(rootPath + wanted, ORIGIN);
	if (url === null || url.origin !== ORIGIN || !url.pathname.startsWith(start)) return start;
	// Dots are resolved by now: it may have left the root path, or begin with two slashes.
	const below = url.pathname.slice(rootPath.length);
	if (url.pathname.startsWith("//") || below.startsWith("//")) return start;
	// Routes are found by the decoded path.
	if (SIGN_IN.test(decode(below) ?? below) && below !== CONSENT) return start;
	return `${url.pathname}${url.search}${url.hash}`;
}

function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch (error) {
		if (error instanceof URIError) return undefined;
		throw error;
	}
}

/** Below these an unknown path answers 404; elsewhere it is a page of the web app. */
const API = /^\/(v1|auth|auth\.md|oauth2|\.well-known|api|docs|openapi\.json|metrics|mcp)(\/|$)/;
/** Below these everything needs credentials: without them not even a missing path is revealed. */
const CLOSED = /^\/(v1|api)(\/|$)/;

const MAX_DECODINGS = 3;

/** Whether an address lies below the API, however it is written. */
export function isApiPath(url: string): boolean {
	return API.test(plainPath(url));
}

/** Whether an address lies below the part of the API that needs credentials, however it is written. */
export function isClosedPath(url: string): boolean {
	return CLOSED.test(plainPath(url));
}

/**
 * The address as a proxy or a careless program might read it: decoded, in lower case, without doubled slashes, dot
 * segments and parameters.
 */
function plainPath(url: string): string {
	const path = decode(url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, ""));
	const segments: string[] = [];
	for (const segment of path.toLowerCase().split(/[/\\]/)) {
		const name = segment.replace(/;.*$/s, "");
		if (name === "..") segments.pop();
		else if (name !== "" && name !== ".") segments.push(name);
	}
	return `/${segments.join("/")}`;
}

/** Also decodes what was encoded twice. */
function decode(text: string): string {
	let decoded = text;
	for (let count = 0; count < MAX_DECODINGS; count++) {
		try {
			decoded = decodeURIComponent(decoded);
		} catch (error) {
			if (error instanceof URIError) return decoded;
			throw error;
		}
	}
	return decoded;
}

import type { IncomingHttpHeaders } from "node:http";

/** The parts of a request that authenticate it. */
export interface SentHeaders {
	readonly headers: IncomingHttpHeaders;
	/** Names and values in turn, as they came: shows a header that was sent twice. */
	readonly rawHeaders: readonly string[];
}

const NAME = "authorization";
/** RFC 6750 with RFC 9110: the scheme in any case, one space. */
const BEARER = /^bearer ([\x21-\x7e]{1,4096})$/i;

/** The token of `Authorization`; undefined without the header, `unusable` when it is no bearer token or came twice. */
export function readBearer({ headers, rawHeaders }: SentHeaders): string | "unusable" | undefined {
	const { authorization } = headers;
	if (authorization === undefined) return undefined;
	if (countOf(rawHeaders) > 1) return "unusable";
	return BEARER.exec(authorization)?.[1] ?? "unusable";
}

/** Node keeps the first of several and drops the rest. */
function countOf(rawHeaders: readonly string[]): number {
	let count = 0;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at];
		if (name?.length === NAME.length && name.toLowerCase() === NAME) count++;
	}
	return count;
}

/** Which trace a text names: its id, or the address of its page or of a list in which it stands open. */
export interface NamedTrace {
	readonly traceId: string;
	/** Undefined for an id alone. */
	readonly project?: string;
}

/** Reads a trace id (32 hex digits, or any text without spaces and slashes that is not an address) or an address. */
export function readTraceAddress(text: string): NamedTrace | undefined {
	const trimmed = text.trim();
	if (/^[^\s/?#]+$/.test(trimmed)) return { traceId: trimmed };
	const url = URL.parse(trimmed, "http://relative");
	const [, project, ofPage] = /\/p\/([^/]+)\/traces(?:\/([^/]+))?/.exec(url?.pathname ?? "") ?? [];
	const traceId = ofPage === undefined ? url?.searchParams.get("trace") : decode(ofPage);
	if (!project || !traceId) return undefined;
	return { project: decode(project), traceId };
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch (error) {
		if (error instanceof URIError) return part;
		throw error;
	}
}

/** A place in the request that did not validate. */
export interface Issue {
	type: string;
	/** `body`, `query` or `path`, then the way to the value. */
	loc: (string | number)[];
	msg: string;
}

/** An answer that is not 2xx. */
export class ApiError extends Error {
	override readonly name = "ApiError";
	readonly status: number;
	/** Stable, for programs: `project_not_found`. */
	readonly code: string;
	/** What did not validate, when `code` is `validation_failed`. */
	readonly issues: readonly Issue[];
	/** Names the entry in the server's log of a 500. */
	readonly requestId: string | undefined;

	constructor(
		status: number,
		code: string,
		message: string,
		extra: { issues?: readonly Issue[]; requestId?: string | undefined } = {},
	) {
		super(message);
		this.status = status;
		this.code = code;
		this.issues = extra.issues ?? [];
		this.requestId = extra.requestId;
	}
}

/** Reads RFC 9457, or the bare text of a proxy in between. */
export async function toApiError(response: Response): Promise<ApiError> {
	const text = await response.text();
	const problem = response.headers.get("content-type")?.includes("json") ? parse(text) : undefined;
	return new ApiError(
		response.status,
		textOf(problem, "code") ?? `http_${response.status}`,
		textOf(problem, "detail") ?? (text.slice(0, 1_000) || response.statusText || `HTTP ${response.status}`),
		{
			issues: problem !== undefined && Array.isArray(problem["errors"]) ? problem["errors"] : [],
			requestId: textOf(problem, "request_id") ?? response.headers.get("x-request-id") ?? undefined,
		},
	);
}

function parse(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function textOf(problem: Record<string, unknown> | undefined, key: string): string | undefined {
	const value = problem?.[key];
	return typeof value === "string" ? value : undefined;
}

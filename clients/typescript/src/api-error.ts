/** A parameter or member of the request that is invalid. */
export interface Issue {
	type: string;
	/** `body`, `query` or `path`, then the path to the value. */
	loc: (string | number)[];
	msg: string;
}

/** An answer that is not 2xx. Statuses that programs usually distinguish have subclasses. */
export class ApiError extends Error {
	override readonly name: string = "ApiError";
	readonly status: number;
	/** Stable, for programs: `project_not_found`. */
	readonly code: string;
	/** The invalid values, when `code` is `validation_failed`. */
	readonly issues: readonly Issue[];
	/** Names the entry in the server's log of a 500. */
	readonly requestId: string | undefined;
	/** Further facts of some operations: `duplicate_spans` and `invalid_spans` when creating spans. */
	readonly report: Readonly<Record<string, unknown>> | undefined;
	/** All members of the problem document: some codes have further ones, such as `needed` and `own`. */
	readonly problem: Readonly<Record<string, unknown>>;

	constructor(
		status: number,
		code: string,
		message: string,
		extra: {
			issues?: readonly Issue[];
			requestId?: string | undefined;
			report?: Readonly<Record<string, unknown>> | undefined;
			problem?: Readonly<Record<string, unknown>> | undefined;
		} = {},
	) {
		super(message);
		this.status = status;
		this.code = code;
		this.issues = extra.issues ?? [];
		this.requestId = extra.requestId;
		this.report = extra.report;
		this.problem = extra.problem ?? {};
	}
}

/** 401: no key was sent, or an invalid one. */
export class AuthenticationError extends ApiError {
	override readonly name = "AuthenticationError";
}

/** 403: the key's role does not allow it. */
export class PermissionError extends ApiError {
	override readonly name = "PermissionError";
}

/** 404 */
export class NotFoundError extends ApiError {
	override readonly name = "NotFoundError";
}

/** 409: a name is taken, a run was recorded already, an id is ambiguous. */
export class ConflictError extends ApiError {
	override readonly name = "ConflictError";
}

/** 412: somebody else changed it since it was read. */
export class PreconditionFailedError extends ApiError {
	override readonly name = "PreconditionFailedError";
}

/** 422: `issues` has the parameters or members that are invalid, with the reasons. */
export class InvalidRequestError extends ApiError {
	override readonly name = "InvalidRequestError";
}

/** 429 */
export class TooManyRequestsError extends ApiError {
	override readonly name = "TooManyRequestsError";
}

/** 500 and beyond: the server cannot do it, now (503, 507) or at all. */
export class ServerError extends ApiError {
	override readonly name = "ServerError";
}

/** The server could not be reached. */
export class ConnectionError extends Error {
	override readonly name = "ConnectionError";

	constructor(url: string, cause: Error) {
		super(`cannot reach ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
	}
}

/** The reason is in the cause: Node's message says only "fetch failed". */
function reasonOf({ message, cause }: Error): string {
	return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

function classOf(status: number): typeof ApiError {
	switch (status) {
		case 401:
			return AuthenticationError;
		case 403:
			return PermissionError;
		case 404:
			return NotFoundError;
		case 409:
			return ConflictError;
		case 412:
			return PreconditionFailedError;
		case 422:
			return InvalidRequestError;
		case 429:
			return TooManyRequestsError;
		default:
			return status >= 500 ? ServerError : ApiError;
	}
}

/** Reads RFC 9457, or the bare text of a proxy in between. */
export async function toApiError(response: Response): Promise<ApiError> {
	const text = await response.text();
	const problem = response.headers.get("content-type")?.includes("json") ? parse(text) : undefined;
	return new (classOf(response.status))(
		response.status,
		textOf(problem, "code") ?? `http_${response.status}`,
		textOf(problem, "detail") ?? (text.slice(0, 1_000) || response.statusText || `HTTP ${response.status}`),
		{
			issues: problem !== undefined && Array.isArray(problem["errors"]) ? problem["errors"] : [],
			report: toMembers(problem?.["report"]),
			problem,
			requestId: textOf(problem, "request_id") ?? response.headers.get("x-request-id") ?? undefined,
		},
	);
}

function parse(text: string): Record<string, unknown> | undefined {
	try {
		return toMembers(JSON.parse(text));
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function toMembers(value: unknown): Record<string, unknown> | undefined {
	return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
}

function textOf(problem: Record<string, unknown> | undefined, key: string): string | undefined {
	const value = problem?.[key];
	return typeof value === "string" ? value : undefined;
}

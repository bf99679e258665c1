import type { ProblemCode } from "./problems.ts";

/** An error the caller can do something about; everything else is a bug and answers 500. */
export class UserError extends Error {
	override readonly name = "UserError";
	readonly code: ProblemCode;
	readonly status: number;
	/** Seconds after which a retry makes sense; sent as `Retry-After`. */
	readonly retryAfter: number | undefined;
	/** Answered as JSON instead of the message; the released JavaScript client reads it only as `application/json`. */
	readonly report: object | undefined;
	/** Members that a problem document has besides the usual ones. */
	readonly details: object | undefined;
	/** True when the code that throws it logs it; otherwise the error handler does, from status 500 on. */
	readonly isLogged: boolean;

	constructor(
		status: number,
		code: ProblemCode,
		message: string,
		options?: { retryAfter?: number; report?: object; details?: object; isLogged?: boolean; cause?: unknown },
	) {
		super(message, { cause: options?.cause });
		this.status = status;
		this.code = code;
		this.retryAfter = options?.retryAfter;
		this.report = options?.report;
		this.details = options?.details;
		this.isLogged = options?.isLogged ?? false;
	}
}

/** One place in the request that does not validate; answered as 422 `{"detail":[…]}`. */
export interface Issue {
	readonly type: string;
	/** `body`, `query`, `path` or `header`, then the way to the value; list positions are numbers. */
	readonly loc: readonly (string | number)[];
	readonly msg: string;
	readonly input?: unknown;
}

export class ValidationError extends Error {
	override readonly name = "ValidationError";
	readonly issues: readonly Issue[];

	constructor(issues: readonly Issue[]) {
		super(issues.map((issue) => `${issue.loc.join(".")}: ${issue.msg}`).join("; "));
		this.issues = issues;
	}
}

export function notFound(code: ProblemCode, message: string): UserError {
	return new UserError(404, code, message);
}

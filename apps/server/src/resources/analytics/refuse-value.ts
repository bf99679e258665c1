import { type Issue, ValidationError } from "#base/errors.ts";

/** The error for the value of a query parameter. */
export function refuseValue(type: string, parameter: string, msg: string, input?: string): ValidationError {
	const issue: Issue = { type, loc: ["query", parameter], msg, ...(input === undefined ? {} : { input }) };
	return new ValidationError([issue]);
}

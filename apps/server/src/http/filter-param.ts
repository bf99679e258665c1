import { UserError } from "../errors.ts";

/**
 * Filter expressions are not evaluated; one that is not blank must not silently select everything.
 * @throws UserError 400
 */
export function refuseFilterExpression(filter: string | undefined): void {
	if (filter === undefined || filter.trim() === "") return;
	throw new UserError(
		400,
		"filter_unsupported",
		"Filter expressions are not supported yet; leave `filter` out and use the other parameters, such as q, name, error or min_latency_ms.",
	);
}

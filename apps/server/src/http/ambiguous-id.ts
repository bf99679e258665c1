import { UserError } from "#base/errors.ts";

/** A bare trace, span or session id that is in several places; the message lists the global ids. */
export function ambiguous(what: "trace" | "span" | "session", globalIds: readonly string[]): UserError {
	return new UserError(
		409,
		`ambiguous_${what}`,
		`This ${what} id is in several places; use one of the ids ${globalIds.join(", ")}, or add ?project=<name or id>.`,
	);
}

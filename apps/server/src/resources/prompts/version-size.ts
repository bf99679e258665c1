import { UserError } from "#base/errors.ts";
import type { VersionRow } from "./versions.ts";

/** Size of a request that makes a version. */
export const MAX_PROMPT_BYTES = 4_194_304;

/** Versions from before the limit may be too large for a comparison, which would take too long. @throws UserError */
export function assertComparable({ definition }: Pick<VersionRow, "definition">): void {
	if (definition.length <= MAX_PROMPT_BYTES) return;
	const message = `A version of more than ${MAX_PROMPT_BYTES} characters cannot be compared.`;
	throw new UserError(422, "prompt_version_too_large", message);
}

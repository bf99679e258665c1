import { UserError } from "#base/errors.ts";
import type { VersionRow } from "./versions.ts";

/** Of a request that makes a version. */
export const MAX_PROMPT_BYTES = 4_194_304;

/** Versions that were made before there was a limit may be larger; comparing these would hold up everybody. @throws UserError */
export function assertComparable({ definition }: Pick<VersionRow, "definition">): void {
	if (definition.length <= MAX_PROMPT_BYTES) return;
	const message = `A version of more than ${MAX_PROMPT_BYTES} characters cannot be compared.`;
	throw new UserError(422, "prompt_version_too_large", message);
}

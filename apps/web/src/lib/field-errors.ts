import { ApiError } from "@spanward/client";
import { errorText } from "../ui/error-state.tsx";

/** What an answer of the server says about the fields of a form; `rest` is what belongs to none of them. */
export interface FieldErrors<Field extends string> {
	readonly at: Readonly<Partial<Record<Field, string>>>;
	readonly rest: Error | null;
}

/**
 * Sorts an answer to the fields it is about: by the place of what did not validate, or by its code.
 * @param codes codes of errors that are about a field
 */
export function fieldErrors<Field extends string>(
	error: Error | null,
	codes: Readonly<Record<Field, readonly string[]>>,
): FieldErrors<Field> {
	const at: Partial<Record<Field, string>> = {};
	if (!(error instanceof ApiError)) return { at, rest: error };
	for (const field of Object.keys(codes) as Field[]) {
		const issue = error.issues.find(({ loc }) => loc.includes(field));
		if (issue) at[field] = sentence(issue.msg);
		else if (codes[field].includes(error.code)) at[field] = errorText(error).message;
	}
	return { at, rest: Object.keys(at).length > 0 ? null : error };
}

function sentence(text: string): string {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

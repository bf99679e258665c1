import { ApiError } from "@spanward/client";
import { errorText } from "../ui/error-state.tsx";

/** The errors of an answer by fields of a form; `rest` are those about no field. */
export interface FieldErrors<Field extends string> {
	readonly at: Readonly<Partial<Record<Field, string>>>;
	readonly rest: Error | null;
}

/**
 * Assigns an error to the fields it is about: by the location of validation issues, or by its code.
 * @param codes the field for each error code that is about one
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

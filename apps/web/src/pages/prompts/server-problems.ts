import { ApiError } from "@spanward/client";
import { type DraftProblems, fieldOf } from "./version-draft.ts";

/** The server's reasons for refusing a version, assigned to the form's fields. */
export function serverProblems(error: Error | null): {
	readonly at: DraftProblems;
	/** Issues about no field of the form. */
	readonly rest: readonly string[];
	/** Every issue with its location. */
	readonly all: readonly string[];
	/** An error that is about no part of the version. */
	readonly error: Error | null;
} {
	if (!(error instanceof ApiError) || error.issues.length === 0) return { at: {}, rest: [], all: [], error };
	const at: Record<string, string> = {};
	const rest: string[] = [];
	for (const { loc, msg } of error.issues) {
		const field = fieldOf(loc);
		if (field === undefined) rest.push(msg);
		else at[field] ??= msg;
	}
	const all = error.issues.map(({ loc, msg }) => `${loc.filter((part) => part !== "body").join(".")}: ${msg}`);
	return { at, rest, all, error: null };
}

import { ApiError } from "@spanward/client";
import { useState } from "react";

/** How often a page looks whether what it is about is there now. */
export const LOOK_MS = 3_000;

/** Whether an answer says that something does not exist, or not for this person. */
export function isNotHere(error: unknown): error is ApiError {
	return error instanceof ApiError && error.status === 404;
}

/** Options of a query that asks again by itself while what it is about is not there. */
export const lookAgain = {
	refetchInterval: ({ state }: { readonly state: { readonly error: Error | null } }): number | false =>
		isNotHere(state.error) ? LOOK_MS : false,
};

/**
 * The error of a query, which stays while it is asked again: the page does not blink each time it looks.
 * @param about what the query is about; the error of something else is forgotten
 */
export function useLastError(
	about: string,
	{ error, isFetching }: { readonly error: Error | null; readonly isFetching: boolean },
): Error | null {
	const [last, setLast] = useState({ about, error });
	const shown = isFetching && last.about === about ? (error ?? last.error) : error;
	if (last.about !== about || last.error !== shown) setLast({ about, error: shown });
	return shown;
}

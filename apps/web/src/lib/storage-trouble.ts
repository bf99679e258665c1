import { ApiError } from "@spanward/client";

const TROUBLES: ReadonlySet<string> = new Set(["storage_unreachable", "storage_incomplete", "storage_behind"]);

let since: number | undefined;
const listeners = new Set<() => void>();

function set(next: number | undefined): void {
	since = next;
	for (const listener of listeners) listener();
}

/**
 * When an answer last said that traces cannot be read, or not all of them, as of `Date.now()`; undefined while all is
 * well. A store for `useSyncExternalStore`.
 */
export const storageTrouble = {
	get: (): number | undefined => since,
	subscribe(listener: () => void): () => void {
		listeners.add(listener);
		return () => listeners.delete(listener);
	},
	/** Looks at the error of a request. */
	note(error: Error): void {
		if (error instanceof ApiError && TROUBLES.has(error.code)) set(Date.now());
	},
	/** Looks at an answer, which says when it may lack the latest. */
	noteAnswer({ headers }: Response): void {
		if (since === undefined && headers.has("x-spanward-data-delay")) set(Date.now());
	},
	end: (): void => set(undefined),
};

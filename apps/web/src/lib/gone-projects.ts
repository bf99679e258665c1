import { ApiError } from "@spanward/client";
import type { QueryKey } from "@tanstack/react-query";

const gone = new Set<string>();
/** Those whose own query has succeeded since the app was opened. */
const seen = new Set<string>();
const listeners = new Set<() => void>();

function tell(): void {
	for (const listener of listeners) listener();
}

/** The project that a query of its own is about: `["project", name or id]`; undefined for other queries. */
function projectOf([kind, project]: QueryKey): string | undefined {
	return kind === "project" && typeof project === "string" ? project : undefined;
}

/**
 * The projects, by the name or id in the address, that do not exist, or not for this person. They stay so until their
 * own query succeeds, also while that is asked again.
 */
export const goneProjects = {
	has: (project: string): boolean => gone.has(project),
	/** Whether it was there before: then its name may be of something that is hidden now. */
	wasSeen: (project: string): boolean => seen.has(project),
	subscribe(listener: () => void): () => void {
		listeners.add(listener);
		return () => listeners.delete(listener);
	},
	noteSuccess(key: QueryKey): void {
		const project = projectOf(key);
		if (project === undefined) return;
		seen.add(project);
		if (gone.delete(project)) tell();
	},
	/** @returns whether something else than a project's own query found its project gone, so that this is to be asked */
	noteError(error: Error, key: QueryKey | undefined): boolean {
		if (!isGone(error)) return false;
		const project = key && projectOf(key);
		if (project === undefined) return true;
		if (gone.has(project)) return false;
		gone.add(project);
		tell();
		return false;
	},
};

/** Whether an answer says that the project of the request is not there, or not for this person. */
export function isGone(error: unknown): boolean {
	return (
		error instanceof ApiError && error.status === 404 && ["project_not_found", "access_ended"].includes(error.code)
	);
}

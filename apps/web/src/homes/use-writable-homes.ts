import { useInfiniteQuery } from "@tanstack/react-query";
import { useCan } from "../lib/me.ts";
import { mayEdit } from "../lib/project-role.ts";
import { projectPages } from "../lib/projects.ts";
import { homesTexts as TEXTS } from "../texts/homes-en.ts";
import { useAllPages } from "../ui/list-pages.tsx";
import { useMayChange } from "./use-may-change.ts";

/** Stands for the library among ids of projects. */
export const LIBRARY = "library";

export interface WritableHomes {
	/** The library, then projects, by id. */
	readonly homes: readonly { readonly value: string; readonly label: string }[];
	/** Whether these are all. */
	readonly isComplete: boolean;
	readonly error: Error | null;
}

/** The homes in which the user may make and change datasets and prompts, as far as is known yet. */
export function useWritableHomes(): WritableHomes {
	const can = useCan();
	const library = useMayChange({});
	const query = useInfiniteQuery({ ...projectPages(undefined), enabled: can("write"), refetchOnMount: "always" });
	useAllPages(query, can("write"));
	const projects = query.data?.pages.flatMap((page) => page.data) ?? [];
	return {
		homes: [
			...(library ? [{ value: LIBRARY, label: TEXTS.libraryChoice }] : []),
			...projects.filter(({ own_role }) => mayEdit(own_role)).map(({ id, name }) => ({ value: id, label: name })),
		],
		isComplete: query.data !== undefined && !query.hasNextPage,
		error: query.error,
	};
}

/** Those of the datasets that live in one of the homes. */
export function livingIn<T extends { readonly project_id?: string | undefined }>(
	{ homes }: Pick<WritableHomes, "homes">,
	datasets: readonly T[],
): T[] {
	const ids = new Set(homes.map(({ value }) => value));
	return datasets.filter(({ project_id }) => ids.has(project_id ?? LIBRARY));
}

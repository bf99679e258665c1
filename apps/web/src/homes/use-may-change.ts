import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { datasetQuery } from "../lib/datasets.ts";
import { useCan, useMe } from "../lib/me.ts";
import { mayEdit } from "../lib/project-role.ts";
import { projectPages } from "../lib/projects.ts";
import { useAllPages } from "../ui/list-pages.tsx";
import { homeAccessQuery } from "./queries.ts";

/**
 * Whether the user may change a dataset or prompt where it lives, to hide what would be refused; false until that is
 * known.
 * @param item undefined while it loads
 */
export function useMayChange(item: { readonly project_id?: string | undefined } | undefined): boolean {
	const can = useCan();
	// While authentication is off, nothing is restricted.
	const isAuthOn = useMe() !== undefined;
	const { data } = useQuery({ ...homeAccessQuery(item?.project_id), enabled: isAuthOn && item !== undefined });
	return can("write") && (!isAuthOn || (data !== undefined && mayEdit(data.own.role)));
}

/** {@link useMayChange} of the dataset with this id, and of its experiments. */
export function useMayChangeDataset(id: string): boolean {
	return useMayChange(useQuery(datasetQuery(id)).data);
}

/** Those of the datasets that the user may add examples to, as far as is known yet. */
export function useChangeable<T extends { readonly project_id?: string | undefined }>(datasets: readonly T[]): T[] {
	const isAuthOn = useMe() !== undefined;
	const library = useMayChange({ project_id: undefined });
	const isAsked = isAuthOn && datasets.some(({ project_id }) => project_id !== undefined);
	const query = useInfiniteQuery({ ...projectPages(undefined), enabled: isAsked });
	useAllPages(query, isAsked);
	const projects = query.data?.pages.flatMap((page) => page.data) ?? [];
	const editable = new Set(projects.flatMap(({ id, own_role }) => (mayEdit(own_role) ? [id] : [])));
	return datasets.filter(({ project_id: home }) => (home === undefined ? library : !isAuthOn || editable.has(home)));
}

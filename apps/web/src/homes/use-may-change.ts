import { useQuery } from "@tanstack/react-query";
import { datasetQuery } from "../lib/datasets.ts";
import { useCan, useMe } from "../lib/me.ts";
import { mayEdit } from "../lib/project-role.ts";
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

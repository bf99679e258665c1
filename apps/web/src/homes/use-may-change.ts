import { useQuery } from "@tanstack/react-query";
import { datasetQuery } from "../lib/datasets.ts";
import { useCan, useMe } from "../lib/me.ts";
import { mayAnnotate, mayEdit } from "../lib/project-role.ts";
import { homeAccessQuery } from "./queries.ts";

interface AtHome {
	readonly project_id?: string | undefined;
}

/**
 * Whether the user may change a dataset or prompt where it lives, to hide what would be refused; false until that is
 * known.
 * @param item undefined while it loads
 */
export function useMayChange(item: AtHome | undefined): boolean {
	return useMay(item, mayEdit);
}

/** {@link useMayChange} of the dataset with this id, and of its experiments. */
export function useMayChangeDataset(id: string): boolean {
	return useMayChange(useQuery(datasetQuery(id)).data);
}

/** As {@link useMayChangeDataset}, whether runs of its experiments may be judged. */
export function useMayReviewRuns(datasetId: string): boolean {
	return useMay(useQuery(datasetQuery(datasetId)).data, mayAnnotate);
}

function useMay(item: AtHome | undefined, isEnough: typeof mayEdit): boolean {
	const can = useCan();
	// While authentication is off, nothing is restricted.
	const isAuthOn = useMe() !== undefined;
	const { data } = useQuery({ ...homeAccessQuery(item?.project_id), enabled: isAuthOn && item !== undefined });
	return can("write") && (!isAuthOn || (data !== undefined && isEnough(data.own.role)));
}

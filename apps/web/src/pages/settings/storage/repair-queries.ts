import type { StorageRepair } from "@spanward/client";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { present } from "../../../lib/search-params.ts";

const WHILE_RUNNING_MS = 1_000;
const REFRESH_MS = 15_000;

/** Repairs, the newest first. */
export const repairPages = infiniteQueryOptions({
	queryKey: ["storage-repairs"],
	initialPageParam: undefined as string | undefined,
	queryFn: ({ pageParam, signal }) =>
		api.get("/v1/storage/repairs", { query: { limit: 20, ...present({ cursor: pageParam }) }, signal }),
	getNextPageParam: (page) => page.next_cursor ?? undefined,
	staleTime: 0,
	refetchInterval: ({ state }) =>
		state.data?.pages.some((page) => page.data.some(isUnfinished)) ? WHILE_RUNNING_MS : REFRESH_MS,
});

export function isUnfinished({ status }: Pick<StorageRepair, "status">): boolean {
	return status === "queued" || status === "running";
}

/** Everything; somebody who wants less asks by the API. */
export async function startRepair(isDryRun: boolean): Promise<StorageRepair> {
	return (await api.post("/v1/storage/repairs", { body: { kind: "all", dry_run: isDryRun } })).data;
}

export async function cancelRepair({ id }: Pick<StorageRepair, "id">): Promise<void> {
	await api.delete("/v1/storage/repairs/{repair_id}", { path: { repair_id: id } });
}

import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

const REFRESH_MS = 15_000;

/** How full the storage is, and how the place of traces fares. */
export const storageQuery = queryOptions({
	queryKey: ["storage"],
	queryFn: async ({ signal }) => (await api.get("/v1/storage", { signal })).data,
	refetchInterval: REFRESH_MS,
});

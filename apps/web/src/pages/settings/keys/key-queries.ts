import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

/** Large, as the search runs in the browser. */
const PAGE_SIZE = 500;

const UNUSED_DAYS = 90;

export interface KeySorting {
	readonly sort: "created_at" | "last_used_at";
	/** Only keys that were not used for {@link UNUSED_DAYS}. */
	readonly unused: boolean;
}

export const NEWEST_FIRST: KeySorting = { sort: "created_at", unused: false };

function toQuery({ sort, unused }: KeySorting) {
	return { sort, ...(unused ? { unused_days: UNUSED_DAYS } : {}) };
}

export const ownKeysQuery = (sorting: KeySorting) =>
	queryOptions({
		queryKey: ["api-keys", "own", sorting],
		queryFn: async ({ signal }) => (await api.get("/v1/user/api_keys", { query: toQuery(sorting), signal })).data,
	});

export const systemKeysQuery = (sorting: KeySorting) =>
	queryOptions({
		queryKey: ["api-keys", "system", sorting],
		queryFn: async ({ signal }) => (await api.get("/v1/system/api_keys", { query: toQuery(sorting), signal })).data,
	});

/** The keys of all users. */
export const userKeyPages = (sorting: KeySorting) =>
	infiniteQueryOptions({
		queryKey: ["api-keys", "users", sorting],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) => {
			const query = { limit: PAGE_SIZE, ...toQuery(sorting), ...(pageParam ? { cursor: pageParam } : {}) };
			return api.get("/v1/users/api_keys", { query, signal });
		},
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});

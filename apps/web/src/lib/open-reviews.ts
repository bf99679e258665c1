import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

const MINUTE = 60_000;

/** How many items wait for the user, by queue; at most 100 are counted in each. */
export const openReviewsQuery = queryOptions({
	queryKey: ["open-reviews"],
	queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
		const { data } = await api.get("/v1/open_reviews", { signal });
		return new Map(data.map(({ queue_id, count }) => [queue_id, count]));
	},
	staleTime: MINUTE,
	refetchInterval: MINUTE,
});

/** So many items are counted in a queue. */
const MOST_COUNTED = 100;

/** How many items wait: `12`, or `99+` where no more are counted. */
export function openCount(count: number): string {
	return count >= MOST_COUNTED ? `${MOST_COUNTED - 1}+` : String(count);
}

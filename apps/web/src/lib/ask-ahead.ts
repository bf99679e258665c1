import type { FetchInfiniteQueryOptions, QueryKey } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/**
 * Asks for what a page shows first while its part of the app is still loading, unless it is known. Where that fails, the
 * page asks again and shows the error.
 */
export function askAhead<Data, Key extends QueryKey, Cursor>(
	options: FetchInfiniteQueryOptions<Data, Error, Data, Key, Cursor>,
): void {
	if (queryClient.getQueryData(options.queryKey) === undefined) void queryClient.prefetchInfiniteQuery(options);
}

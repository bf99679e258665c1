import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";

/** As many as a server usually has, so that one request is enough. */
const PAGE_SIZE = 100;

/** The projects, newest first, those whose name contains the words, each with what it did in the last 24 hours. */
export function activeProjectPages(nameContains: string | undefined) {
	return infiniteQueryOptions({
		queryKey: ["projects", { nameContains }, "activity"],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects", {
				query: {
					limit: PAGE_SIZE,
					include: ["activity"],
					...(nameContains ? { name_contains: nameContains } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

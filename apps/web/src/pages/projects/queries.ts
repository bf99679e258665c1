import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { WITH_ACCESS } from "../../lib/projects.ts";
import { orderOf, type ProjectsSearch } from "./search.ts";

/** As many as a server usually has, so that one request is enough. */
const PAGE_SIZE = 100;

/** The projects whose name contains the words, each with what it did in the last 24 hours. */
export function activeProjectPages(nameContains: string | undefined, sorting: Pick<ProjectsSearch, "sort" | "order">) {
	const { sort } = sorting;
	const order = orderOf(sorting);
	return infiniteQueryOptions({
		queryKey: ["projects", { nameContains }, "activity", sort, order],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam, signal }) =>
			api.get("/v1/projects", {
				query: {
					limit: PAGE_SIZE,
					include: ["activity", ...WITH_ACCESS],
					...(sort ? { sort } : {}),
					...(order ? { order } : {}),
					...(nameContains ? { name_contains: nameContains } : {}),
					...(pageParam ? { cursor: pageParam } : {}),
				},
				signal,
			}),
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

/** What one's own agents called, or everybody's, newest first. */
export const callPages = (whose: "own" | "all") =>
	infiniteQueryOptions({
		queryKey: ["agent-calls", whose],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam: cursor, signal }) => {
			const query = { limit: 50, ...(cursor ? { cursor } : {}) };
			return whose === "all"
				? api.get("/v1/agent_calls", { query, signal })
				: api.get("/v1/user/agent_calls", { query, signal });
		},
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});

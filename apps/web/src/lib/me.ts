import { queryOptions, useQuery } from "@tanstack/react-query";
import { fetchMe, type Me, may, type Right } from "../auth/me.ts";
import { reloadPage } from "../auth/session-end.ts";
import { sessionFetch } from "../auth/session-fetch.ts";
import { config } from "./config.ts";

/**
 * Who is logged in; null while authentication is off. Cached before the first page is drawn; to be invalidated after a
 * change of one's own account.
 */
export const meQuery = queryOptions({
	queryKey: ["me"],
	queryFn: async ({ signal, client }): Promise<Me | null> => {
		if (!config.auth.enabled) return null;
		const me = (await fetchMe(sessionFetch, signal)) ?? null;
		const before = client.getQueryData<Me | null>(["me"]);
		if (before && me?.id !== before.id) reloadPage();
		return me;
	},
	staleTime: 30_000,
	gcTime: Number.POSITIVE_INFINITY,
});

/** Who is logged in; undefined while authentication is off. */
export function useMe(): Me | undefined {
	return useQuery(meQuery).data ?? undefined;
}

/** Whether the user has a right, to hide what would be refused. `const can = useCan(); can("write")` */
export function useCan(): (right: Right) => boolean {
	const me = useMe();
	return (right) => may(me, right);
}

import { ApiError } from "@spanward/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

/** What can be right when asked again: no answer, overload, a server error. */
function worthRetrying(error: Error): boolean {
	if (!(error instanceof ApiError)) return true;
	return error.status === 429 || error.status >= 500;
}

/** A refusal for want of rights: one's role may have changed, so that other things are to be offered. */
function askForRightsAnew(error: Error): void {
	if (error instanceof ApiError && error.status === 403) void queryClient.invalidateQueries({ queryKey: ["me"] });
}

export const queryClient = new QueryClient({
	queryCache: new QueryCache({ onError: askForRightsAnew }),
	mutationCache: new MutationCache({ onError: askForRightsAnew }),
	defaultOptions: {
		queries: {
			staleTime: 10_000,
			refetchOnWindowFocus: true,
			retry: (failures, error) => failures < 2 && worthRetrying(error),
			// Requests to the own server work without the internet.
			networkMode: "always",
		},
		mutations: { networkMode: "always" },
	},
});

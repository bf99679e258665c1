import { ApiError } from "@spanward/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { storageTrouble } from "./storage-trouble.ts";

/** Errors that a retry may resolve: no answer, overload, a server error. */
function worthRetrying(error: Error): boolean {
	if (!(error instanceof ApiError)) return true;
	return error.status === 429 || error.status >= 500;
}

/** Reloads the user after a 403: the role may have changed. Of traces that cannot be read a notice tells. */
function noteError(error: Error): void {
	storageTrouble.note(error);
	if (error instanceof ApiError && error.status === 403) void queryClient.invalidateQueries({ queryKey: ["me"] });
}

export const queryClient = new QueryClient({
	queryCache: new QueryCache({ onError: noteError }),
	mutationCache: new MutationCache({ onError: noteError }),
	defaultOptions: {
		queries: {
			staleTime: 10_000,
			refetchOnWindowFocus: true,
			retry: (failures, error) => {
				// The notice need not wait for the last try.
				storageTrouble.note(error);
				return failures < 2 && worthRetrying(error);
			},
			// Also when the browser reports to be offline: the server may be local.
			networkMode: "always",
		},
		mutations: { networkMode: "always" },
	},
});

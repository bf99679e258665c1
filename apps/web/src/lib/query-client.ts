import { ApiError } from "@spanward/client";
import { MutationCache, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";
import { goneProjects } from "./gone-projects.ts";
import { storageTrouble } from "./storage-trouble.ts";

/** Errors that a retry may resolve: no answer, overload, a server error. */
function worthRetrying(error: Error): boolean {
	if (!(error instanceof ApiError)) return true;
	return error.status === 429 || error.status >= 500;
}

/**
 * Reloads the user and the role in the project after a 403, as they may have changed, and the project when something in
 * it says that it is gone. Of traces that cannot be read a notice tells.
 */
function noteError(error: Error, key?: QueryKey): void {
	storageTrouble.note(error);
	const isRefused = error instanceof ApiError && error.status === 403;
	if (isRefused) void queryClient.invalidateQueries({ queryKey: ["me"] });
	const isRoleMissing = isRefused && error.code === "project_role_needed";
	const isStale = goneProjects.noteError(error, key) || isRoleMissing;
	if (isStale) void queryClient.invalidateQueries({ queryKey: ["project"] });
	if (isRoleMissing) void queryClient.invalidateQueries({ queryKey: ["home-access"] });
}

export const queryClient = new QueryClient({
	queryCache: new QueryCache({
		onError: (error, { queryKey }) => noteError(error, queryKey),
		onSuccess: (_data, { queryKey }) => goneProjects.noteSuccess(queryKey),
	}),
	mutationCache: new MutationCache({ onError: (error) => noteError(error) }),
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

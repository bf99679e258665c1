import { ApiError } from "@spanward/client";
import { QueryClient } from "@tanstack/react-query";

/** What can be right when asked again: no answer, overload, a server error. */
function worthRetrying(error: Error): boolean {
	if (!(error instanceof ApiError)) return true;
	return error.status === 429 || error.status >= 500;
}

export const queryClient = new QueryClient({
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

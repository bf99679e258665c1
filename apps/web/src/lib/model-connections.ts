import { queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";

/** There are at most as many as one page has. */
const ALL = 100;

/** The connections to providers of models, with what the caller may know of them. */
export const modelConnectionsQuery = queryOptions({
	queryKey: ["model-connections"],
	queryFn: async ({ signal }) => (await api.get("/v1/model_connections", { query: { limit: ALL }, signal })).data,
});

/** The models of a connection: the provider's, and those that were added by hand. */
export function modelsQuery(connectionId: string) {
	return queryOptions({
		queryKey: ["models-of-connection", connectionId],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/model_connections/{connection_id}/models", { path: { connection_id: connectionId }, signal }))
				.data,
		staleTime: 600_000,
		retry: false,
		enabled: connectionId !== "",
	});
}

import type { ModelConnection, ModelConnectionPreset } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";
import { fetchExact } from "../../../lib/exact-json.ts";

export type { ModelConnection, ModelConnectionPreset };
export type ConnectionKind = ModelConnection["kind"];

/** For admins alone. */
export const presetsQuery = queryOptions({
	queryKey: ["model-connection-presets"],
	queryFn: async ({ signal }) => (await api.get("/v1/model_connection_presets", { signal })).data,
	staleTime: 60_000,
});

/** A connection with the entity tag of what is shown. */
export interface TaggedConnection {
	readonly connection: ModelConnection;
	readonly etag: string | undefined;
}

export function modelConnectionQuery(id: string) {
	return queryOptions({
		queryKey: ["model-connections", id],
		queryFn: async ({ signal }): Promise<TaggedConnection> => {
			const path = api.url("/v1/model_connections/{connection_id}", { path: { connection_id: id } });
			const { body, etag } = await fetchExact(path, signal);
			return { connection: (body as { data: ModelConnection }).data, etag };
		},
		staleTime: 0,
		gcTime: 0,
		refetchOnWindowFocus: false,
	});
}

/** Models that the provider lists or an admin entered. */
export function modelsOfConnectionQuery(id: string) {
	return queryOptions({
		queryKey: ["model-connections", id, "models"],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/model_connections/{connection_id}/models", { path: { connection_id: id }, signal })).data,
		retry: false,
	});
}

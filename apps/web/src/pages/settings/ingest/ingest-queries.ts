import type { IngestHealth } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

const REFRESH_MS = 2_000;

export type { IngestHealth };

export const ingestHealthQuery = queryOptions({
	queryKey: ["ingest-health"],
	queryFn: async ({ signal }) => (await api.get("/v1/ingest/health", { signal })).data,
	staleTime: 0,
	refetchInterval: REFRESH_MS,
});

import type { Secret } from "@spanward/client";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../../lib/api.ts";

export type { Secret };

/** Names and dates; never a value. */
export const secretsQuery = queryOptions({
	queryKey: ["secrets"],
	queryFn: async ({ signal }) => (await api.get("/v1/secrets", { signal })).data,
});

/** Writes a secret; a null value deletes it. */
export async function writeSecret(key: string, value: string | null): Promise<void> {
	await api.put("/v1/secrets", { body: { secrets: [{ key, value }] } });
}

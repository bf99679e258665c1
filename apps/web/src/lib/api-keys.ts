import type { CreatedSystemApiKey, CreatedUserApiKey } from "@spanward/client";
import { api } from "./api.ts";

/** On whose behalf a key acts. */
export type KeyKind = "user" | "system";

export interface NewKey {
	readonly name: string;
	readonly description?: string;
	/** ISO time; absent if the key never expires. */
	readonly expires_at?: string;
}

/** Creates a key; only this answer contains the key itself. */
export async function createKey(kind: KeyKind, key: NewKey): Promise<CreatedUserApiKey | CreatedSystemApiKey> {
	const body = { data: key };
	const path = kind === "system" ? "/v1/system/api_keys" : "/v1/user/api_keys";
	return (await api.post(path, { body })).data;
}

import type { CreatedSystemApiKey, CreatedUserApiKey, UserApiKey } from "@spanward/client";
import { api } from "./api.ts";

/** On whose behalf a key acts. */
export type KeyKind = "user" | "system";

export interface NewKey {
	readonly name: string;
	readonly description?: string;
	/** ISO time; absent if the key never expires. */
	readonly expires_at?: string;
	/** Null for all that the owner may. */
	readonly permissions?: ("read" | "ingest" | "annotate" | "write")[] | null;
	/** Ids or names */
	readonly projects?: string[];
	readonly include_library?: boolean;
	readonly ip_ranges?: string[];
	readonly allowed_origins?: string[];
	readonly limits?: { readonly requests_per_minute?: number; readonly spans_per_day?: number };
}

/** A key with its text, which no other answer contains. */
export type CreatedKey = CreatedUserApiKey | CreatedSystemApiKey;

/** Creates a key; only this answer contains the key itself. */
export async function createKey(kind: KeyKind, key: NewKey): Promise<CreatedKey> {
	const body = { data: key };
	const path = kind === "system" ? "/v1/system/api_keys" : "/v1/user/api_keys";
	return (await api.post(path, { body })).data;
}

/** What becomes of a key; what is absent stays, null takes a limit away. */
export interface KeyChange {
	readonly name?: string;
	readonly description?: string | null;
	/** ISO time; only earlier. */
	readonly expires_at?: string;
	readonly permissions?: ("read" | "ingest" | "annotate" | "write")[];
	/** Ids */
	readonly projects?: string[];
	readonly include_library?: boolean;
	readonly ip_ranges?: string[] | null;
	readonly allowed_origins?: string[] | null;
	readonly limits?: { readonly requests_per_minute: number | null; readonly spans_per_day: number | null };
}

/** Changes a key; the server refuses what would give it more. */
export async function changeKey(kind: KeyKind, id: string, body: KeyChange): Promise<UserApiKey> {
	const path = kind === "system" ? "/v1/system/api_keys/{api_key_id}" : "/v1/user/api_keys/{api_key_id}";
	return (await api.patch(path, { path: { api_key_id: id }, body })).data;
}

/** Puts a new key in the place of one, which works on for so many seconds. */
export async function rotateKey(kind: KeyKind, id: string, overlapSeconds: number): Promise<CreatedKey> {
	const path = kind === "system" ? "/v1/system/api_keys/{api_key_id}/rotate" : "/v1/user/api_keys/{api_key_id}/rotate";
	return (await api.post(path, { path: { api_key_id: id }, body: { overlap_seconds: overlapSeconds } })).data;
}

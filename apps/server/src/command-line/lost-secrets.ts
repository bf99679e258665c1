import type { Kysely } from "kysely";
import type { SecretBox } from "#access/auth/secret-box.ts";
import { type DamagedCredential, listUndecryptableCredentials } from "#access/secrets/model-credentials.ts";
import { listUndecryptable } from "#access/secrets/queries.ts";
import type { Tables } from "#storage/schema.ts";

/** What is stored encrypted and cannot be decrypted, in words. */
export async function listLost(db: Kysely<Tables>, box: SecretBox): Promise<readonly string[]> {
	return namesOfLost(await listUndecryptable(db, box), await listUndecryptableCredentials(db, box));
}

/** Secrets by name, and credentials by the connection that has them. */
export function namesOfLost(secrets: readonly string[], credentials: readonly DamagedCredential[]): readonly string[] {
	return [
		...secrets,
		...credentials.map(({ connection, field }) => `${field} of the model connection ${connection.name}`),
	];
}

import type { Kysely, Transaction } from "kysely";
import type { SecretBox } from "#access/auth/secret-box.ts";
import { credentialName, deleteCredential } from "#access/secrets/model-credentials.ts";
import { UserError } from "#base/errors.ts";
import { CREDENTIAL_FIELDS, type CredentialField } from "#base/model-connections/kinds.ts";
import type { Tables } from "#storage/schema.ts";

const HEADER = "header:";

/** What is known of a stored credential, or of a header, without its value. */
export interface HeldCredential {
	readonly connection_id: number;
	/** A credential, or `header:` and the name of a header in lower case. */
	readonly field: string;
	/** The name of the secret that it is; null where the value is the connection's own. */
	readonly secret_key: string | null;
	readonly updated_at: number;
}

/** A credential or header as it is stored from now on: a value, the name of a secret, or null for none. */
export type CredentialChange = { readonly value: string } | { readonly secret: string } | null;

/** What the connections with these row numbers have, in the order of names. */
export async function listHeld(db: Kysely<Tables>, ids: readonly number[]): Promise<readonly HeldCredential[]> {
	if (ids.length === 0) return [];
	return await db
		.selectFrom("model_credentials")
		.select(["connection_id", "field", "secret_key", "updated_at"])
		.where("connection_id", "in", ids)
		.orderBy("connection_id")
		.orderBy("field")
		.execute();
}

export function headerField(header: string): string {
	return `${HEADER}${header}`;
}

/** The name of the header that a field is; undefined for a credential. */
export function headerOf(field: string): string | undefined {
	return field.startsWith(HEADER) ? field.slice(HEADER.length) : undefined;
}

export function isCredentialField(field: string): field is CredentialField {
	return CREDENTIAL_FIELDS.some((known) => known === field);
}

/**
 * Stores credentials and headers, and deletes those that are null.
 * @param box undefined while `SERVICE_SECRET` is unset
 * @throws UserError 409 `no_encryption_key`, or 422 when there is no secret with the name
 */
export async function changeCredentials(
	transaction: Transaction<Tables>,
	box: SecretBox | undefined,
	connectionId: number,
	changes: ReadonlyMap<string, CredentialChange>,
	now: number,
): Promise<void> {
	for (const [field, change] of changes) {
		if (change === null) {
			await deleteCredential(transaction, connectionId, field);
			continue;
		}
		const key = needBox(box);
		const stored =
			"secret" in change
				? { secret_key: await existing(transaction, change.secret), key_id: null, nonce: null, ciphertext: null }
				: { secret_key: null, ...key.seal(credentialName(connectionId, field), change.value) };
		await transaction
			.insertInto("model_credentials")
			.values({ connection_id: connectionId, field, ...stored, updated_at: now })
			.onConflict((conflict) =>
				conflict.columns(["connection_id", "field"]).doUpdateSet({ ...stored, updated_at: now }),
			)
			.execute();
	}
}

function needBox(box: SecretBox | undefined): SecretBox {
	if (box !== undefined) return box;
	throw new UserError(
		409,
		"no_encryption_key",
		"Credentials are encrypted with SERVICE_SECRET, which is not set: set it, and restart.",
	);
}

async function existing(transaction: Transaction<Tables>, key: string): Promise<string> {
	const row = await transaction.selectFrom("secrets").select("key").where("key", "=", key).executeTakeFirst();
	if (row !== undefined) return row.key;
	throw new UserError(422, "unknown_secret", `There is no secret with the name ${key}: store it first`);
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { Transaction } from "kysely";
import { ConfigError } from "#base/config.ts";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";
import type { AuditLog } from "../auth/audit.ts";
import type { SecretBox } from "../auth/secret-box.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import { type DamagedCredential, deleteCredential, sealCredentialsAgain } from "./model-credentials.ts";
import { deleteSecret, sealAgain } from "./queries.ts";

/** The row of `state` that identifies the `SERVICE_SECRET` to which stored data belongs. */
const CANARY = "secret_check";

const OTHER_SECRET =
	"SERVICE_SECRET is not the one that this database was used with. To replace the secret, set SERVICE_SECRET to the new one and SERVICE_SECRET_PREVIOUS to the old one. If the old one is lost, spanward forget-secrets (docs/last-resort.md) deletes the stored secrets, which can no longer be decrypted, and accepts the new one; users stay and have to log in again";

/** What cannot be decrypted. */
export interface Damaged {
	/** Names of secrets. */
	readonly secrets: readonly string[];
	readonly credentials: readonly DamagedCredential[];
}

/**
 * Checks that stored data belongs to `SERVICE_SECRET` or to one of `SERVICE_SECRET_PREVIOUS`, and encrypts stored
 * secrets and the credentials of model connections with the current one.
 * @returns how many were encrypted again
 * @throws ConfigError when the data belongs to another secret
 */
export async function acceptSecret(
	db: Database,
	keys: SigningKeys,
	box: SecretBox,
): Promise<{ readonly renewed: number; readonly damaged: Damaged }> {
	const current = checkValue(keys.current("canary"));
	return await db.write(async (transaction) => {
		const stored = await readCanary(transaction);
		if (!isOf(keys, stored)) throw new ConfigError([OTHER_SECRET]);
		if (stored !== current) await writeCanary(transaction, current);
		const secrets = await sealAgain(transaction, box);
		const credentials = await sealCredentialsAgain(transaction, box);
		return {
			renewed: secrets.renewed + credentials.renewed,
			damaged: { secrets: secrets.damaged, credentials: credentials.damaged },
		};
	});
}

/** Whether stored data belongs to `SERVICE_SECRET` or to one of `SERVICE_SECRET_PREVIOUS`. */
export async function isSecretOf(db: Database["read"], keys: SigningKeys): Promise<boolean> {
	return isOf(keys, await readCanary(db));
}

/** Whether a server with authentication or secrets has used the database. */
export async function hasSecretCheck(db: Database["read"]): Promise<boolean> {
	return (await readCanary(db)) !== undefined;
}

/**
 * Deletes the secrets and credentials that were encrypted with another `SERVICE_SECRET`, and uses the current one from
 * now on.
 */
export async function forgetFormerSecret(
	db: Database,
	keys: SigningKeys,
	box: SecretBox,
	audit: AuditLog,
): Promise<Damaged> {
	return await db.write(async (transaction) => {
		const { damaged: secrets } = await sealAgain(transaction, box);
		const { damaged: credentials } = await sealCredentialsAgain(transaction, box);
		const details = { by: "spanward forget-secrets" };
		for (const { connection, field } of credentials) {
			await deleteCredential(transaction, connection.id, field);
			await audit.recordIn(transaction, {
				action: "model_connection.update",
				outcome: "success",
				target: { type: "model_connection", ...connection },
				details: { ...details, credentials: field },
			});
		}
		for (const key of secrets) {
			await deleteSecret(transaction, key);
			await audit.recordIn(transaction, {
				action: "secret.delete",
				outcome: "success",
				target: { type: "secret", name: key },
				details,
			});
		}
		// Their tokens were signed with the secret that is lost.
		if (!isOf(keys, await readCanary(transaction))) await transaction.deleteFrom("login_sessions").execute();
		await writeCanary(transaction, checkValue(keys.current("canary")));
		return { secrets, credentials };
	});
}

async function readCanary(db: Database["read"]): Promise<string | undefined> {
	const row = await db.selectFrom("state").select("value").where("name", "=", CANARY).executeTakeFirst();
	return row?.value;
}

async function writeCanary(transaction: Transaction<Tables>, value: string): Promise<void> {
	await transaction
		.insertInto("state")
		.values({ name: CANARY, value })
		.onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
		.execute();
}

function checkValue(key: Uint8Array): string {
	return createHmac("sha256", key).update("spanward check of the secret").digest("base64url");
}

/** Whether stored data belongs to one of these secrets; true for any while there is no canary. */
function isOf(keys: SigningKeys, canary: string | undefined): boolean {
	return canary === undefined || keys.all("canary").some((key) => isEqual(checkValue(key), canary));
}

function isEqual(a: string, b: string): boolean {
	return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

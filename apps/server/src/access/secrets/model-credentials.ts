import type { Kysely, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { SealedText, SecretBox } from "../auth/secret-box.ts";

/** Under what a credential of a model connection is sealed: copied to another connection or field it does not open. */
export function credentialName(connectionId: number, field: string): string {
	return `model_connection:${connectionId}:${field}`;
}

/** A credential of a model connection that cannot be decrypted. */
export interface DamagedCredential {
	readonly connection: { readonly id: number; readonly name: string };
	readonly field: string;
}

/** As `sealAgain` of secrets, for the credentials of model connections. */
export async function sealCredentialsAgain(
	transaction: Transaction<Tables>,
	box: SecretBox,
): Promise<{ readonly renewed: number; readonly damaged: readonly DamagedCredential[] }> {
	const damaged: DamagedCredential[] = [];
	let renewed = 0;
	for (const { connection, field, sealed } of await listSealed(transaction)) {
		const name = credentialName(connection.id, field);
		const text = box.open(name, sealed);
		if (text === undefined) damaged.push({ connection, field });
		else if (sealed.key_id !== box.keyId) {
			await transaction
				.updateTable("model_credentials")
				.set(box.seal(name, text))
				.where("connection_id", "=", connection.id)
				.where("field", "=", field)
				.execute();
			renewed++;
		}
	}
	return { renewed, damaged };
}

/** Credentials of model connections that cannot be decrypted. */
export async function listUndecryptableCredentials(
	db: Kysely<Tables>,
	box: SecretBox,
): Promise<readonly DamagedCredential[]> {
	const all = await listSealed(db);
	return all
		.filter(({ connection, field, sealed }) => box.open(credentialName(connection.id, field), sealed) === undefined)
		.map(({ connection, field }) => ({ connection, field }));
}

export async function deleteCredential(
	transaction: Transaction<Tables>,
	connectionId: number,
	field: string,
): Promise<void> {
	await transaction
		.deleteFrom("model_credentials")
		.where("connection_id", "=", connectionId)
		.where("field", "=", field)
		.execute();
}

/** Names of the model connections that use a secret, sorted. */
export async function listConnectionsWith(db: Kysely<Tables>, secretKey: string): Promise<readonly string[]> {
	const rows = await db
		.selectFrom("model_credentials")
		.innerJoin("model_connections", "model_connections.id", "model_credentials.connection_id")
		.select("model_connections.name")
		.distinct()
		.where("model_credentials.secret_key", "=", secretKey)
		.orderBy("model_connections.name")
		.execute();
	return rows.map(({ name }) => name);
}

/** Makes an admin look at the connections that use a secret before they are used with its new value. */
export async function unconfirmConnectionsWith(transaction: Transaction<Tables>, secretKey: string): Promise<void> {
	await transaction
		.updateTable("model_connections")
		.set({ is_confirmed: 0 })
		.where("id", "in", (of) =>
			of.selectFrom("model_credentials").select("connection_id").where("secret_key", "=", secretKey),
		)
		.execute();
}

interface SealedCredential extends DamagedCredential {
	readonly sealed: SealedText;
}

async function listSealed(db: Kysely<Tables>): Promise<readonly SealedCredential[]> {
	const rows = await db
		.selectFrom("model_credentials")
		.innerJoin("model_connections", "model_connections.id", "model_credentials.connection_id")
		.select([
			"model_connections.id",
			"model_connections.name",
			"model_credentials.field",
			"model_credentials.key_id",
			"model_credentials.nonce",
			"model_credentials.ciphertext",
		])
		.orderBy("model_connections.id")
		.orderBy("model_credentials.field")
		.execute();
	return rows.flatMap(({ id, name, field, key_id, nonce, ciphertext }) =>
		key_id === null || nonce === null || ciphertext === null
			? []
			: [{ connection: { id, name }, field, sealed: { key_id, nonce, ciphertext } }],
	);
}

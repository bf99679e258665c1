import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { SealedText, SecretBox } from "../auth/secret-box.ts";

export interface SecretRow {
	readonly key: string;
	readonly created_at: number;
	readonly updated_at: number;
	readonly author: { readonly id: number; readonly username: string } | null;
}

export interface StoredSecret extends SecretRow {
	readonly sealed: SealedText;
}

/** All secrets by name, without their values. */
export async function listSecrets(db: Kysely<Tables>): Promise<readonly SecretRow[]> {
	const rows = await selectSecrets(db).orderBy("secrets.key").execute();
	return rows.map(toSecretRow);
}

export async function findSecret(db: Kysely<Tables>, key: string): Promise<StoredSecret | undefined> {
	const row = await selectSecrets(db)
		.select(["secrets.key_id", "secrets.nonce", "secrets.ciphertext"])
		.where("secrets.key", "=", key)
		.executeTakeFirst();
	if (row === undefined) return undefined;
	return { ...toSecretRow(row), sealed: { key_id: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext } };
}

export async function upsertSecret(
	transaction: Transaction<Tables>,
	secret: { readonly key: string; readonly sealed: SealedText; readonly author: number | null; readonly now: number },
): Promise<void> {
	const { key, sealed, author, now } = secret;
	const change = { ...sealed, updated_at: now, updated_by: author };
	await transaction
		.insertInto("secrets")
		.values({ key, created_at: now, ...change })
		.onConflict((conflict) => conflict.column("key").doUpdateSet(change))
		.execute();
}

/** Deletes a secret. @returns whether there was one */
export async function deleteSecret(transaction: Transaction<Tables>, key: string): Promise<boolean> {
	const result = await transaction.deleteFrom("secrets").where("key", "=", key).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

export async function countSecrets(db: Kysely<Tables>): Promise<number> {
	const row = await db
		.selectFrom("secrets")
		.select((of) => of.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	return Number(row.count);
}

/** Encrypts with the current key what was encrypted with a former one; what cannot be decrypted stays as it is. */
export async function sealAgain(
	transaction: Transaction<Tables>,
	box: SecretBox,
): Promise<{ readonly renewed: number; readonly damaged: readonly string[] }> {
	const damaged: string[] = [];
	let renewed = 0;
	const rows = await transaction.selectFrom("secrets").select(["key", "key_id", "nonce", "ciphertext"]).execute();
	for (const { key, ...sealed } of rows) {
		const text = box.open(key, sealed);
		if (text === undefined) damaged.push(key);
		else if (sealed.key_id !== box.keyId) {
			await transaction.updateTable("secrets").set(box.seal(key, text)).where("key", "=", key).execute();
			renewed++;
		}
	}
	return { renewed, damaged };
}

/** Names of the secrets that cannot be decrypted. */
export async function listUndecryptable(db: Kysely<Tables>, box: SecretBox): Promise<readonly string[]> {
	const rows = await db.selectFrom("secrets").select(["key", "key_id", "nonce", "ciphertext"]).orderBy("key").execute();
	return rows.filter(({ key, ...sealed }) => box.open(key, sealed) === undefined).map(({ key }) => key);
}

function selectSecrets(db: Kysely<Tables>) {
	return db
		.selectFrom("secrets")
		.leftJoin("users", "users.id", "secrets.updated_by")
		.select([
			"secrets.key",
			"secrets.created_at",
			"secrets.updated_at",
			"users.id as author_id",
			"users.username as author_name",
		]);
}

interface Joined extends Pick<Selectable<Tables["secrets"]>, "key" | "created_at" | "updated_at"> {
	readonly author_id: number | null;
	readonly author_name: string | null;
}

function toSecretRow({ key, created_at, updated_at, author_id, author_name }: Joined): SecretRow {
	const author = author_id === null || author_name === null ? null : { id: author_id, username: author_name };
	return { key, created_at, updated_at, author };
}

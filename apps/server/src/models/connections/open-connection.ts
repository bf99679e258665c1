import type { Kysely } from "kysely";
import { SecretBox } from "#access/auth/secret-box.ts";
import type { Auth } from "#access/create-auth.ts";
import { credentialName } from "#access/secrets/model-credentials.ts";
import { findSecret } from "#access/secrets/queries.ts";
import type { Config } from "#base/config.ts";
import type { ConnectionDefinition } from "#base/model-connections/definition.ts";
import { type CredentialField, KINDS } from "#base/model-connections/kinds.ts";
import type { DeclaredConnection } from "#base/model-connections/read-declared.ts";
import type { SecretText } from "#base/secret-text.ts";
import type { Tables } from "#storage/schema.ts";
import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import { defaultBaseUrl } from "../presets.ts";
import { type CredentialChange, headerOf, isCredentialField } from "./credentials.ts";
import { findConnection } from "./queries.ts";
import { type ConnectionRow, definitionOf } from "./stored-definition.ts";

/** What opens connections. */
export interface ConnectionKeys {
	/** Undefined while `SERVICE_SECRET` is unset. */
	readonly box: SecretBox | undefined;
	/** Those of the settings, whose credentials are not stored. */
	readonly declared: readonly DeclaredConnection[];
}

export function connectionKeys(
	{ SERVICE_MODEL_CONNECTIONS: declared }: Pick<Config, "SERVICE_MODEL_CONNECTIONS">,
	{ keys }: Pick<Auth, "keys">,
): ConnectionKeys {
	return { box: keys === undefined ? undefined : new SecretBox(keys), declared };
}

/**
 * A connection with everything that a request needs, whatever its state is.
 * @throws ModelError `connection_off` when it is not there any more, `authentication` when a credential cannot be read
 */
export async function openConnection(db: Kysely<Tables>, keys: ConnectionKeys, id: number): Promise<OpenConnection> {
	const row = await findConnection(db, id);
	if (row === undefined) throw new ModelError("connection_off", "The model connection was deleted");
	return row.origin === "settings" ? openDeclared(keys.declared, row) : await openStored(db, keys.box, row);
}

/**
 * All of it is from the settings of this process, and nothing from the row: a server with other settings may have
 * written that, and would so send the credentials of this one elsewhere.
 */
function openDeclared(declared: readonly DeclaredConnection[], { name }: ConnectionRow): OpenConnection {
	const found = declared.find(({ definition }) => definition.name === name);
	if (found === undefined) {
		throw new ModelError(
			"connection_off",
			`The model connection ${name} is not in SERVICE_MODEL_CONNECTIONS of this server`,
		);
	}
	return toOpenConnection(found.definition, revealed(found.credentials), revealed(found.headers));
}

function revealed(texts: Readonly<Record<string, SecretText>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.reveal()]));
}

async function openStored(db: Kysely<Tables>, box: SecretBox | undefined, row: ConnectionRow): Promise<OpenConnection> {
	const stored = await db.selectFrom("model_credentials").selectAll().where("connection_id", "=", row.id).execute();
	const credentials: Partial<Record<CredentialField, string>> = {};
	const headers: Record<string, string> = {};
	for (const { field, secret_key: secret, key_id, nonce, ciphertext } of stored) {
		if (box === undefined) throw unreadable(row, field, "SERVICE_SECRET is not set");
		let value: string | undefined;
		if (secret !== null) value = await readSecret(db, box, row, field, secret);
		else if (key_id !== null && nonce !== null && ciphertext !== null) {
			value = box.open(credentialName(row.id, field), { key_id, nonce, ciphertext });
		}
		if (value === undefined) throw unreadable(row, field, "it cannot be decrypted: enter it again");
		const header = headerOf(field);
		if (header !== undefined) headers[header] = value;
		else if (isCredentialField(field)) credentials[field] = value;
	}
	return toOpenConnection(definitionOf(row), credentials, headers);
}

/**
 * A connection that is not stored.
 * @throws ModelError as {@link openConnection}
 */
export async function openUnsaved(
	db: Kysely<Tables>,
	{ box }: ConnectionKeys,
	definition: ConnectionDefinition,
	given: ReadonlyMap<string, CredentialChange>,
): Promise<OpenConnection> {
	const credentials: Partial<Record<CredentialField, string>> = {};
	const headers: Record<string, string> = {};
	for (const [field, of] of given) {
		if (of === null) continue;
		if ("secret" in of && box === undefined) throw unreadable(definition, field, "SERVICE_SECRET is not set");
		const value = "value" in of ? of.value : await readSecret(db, box, definition, field, of.secret);
		if (value === undefined) throw unreadable(definition, field, "it cannot be decrypted: store it again");
		const header = headerOf(field);
		if (header !== undefined) headers[header] = value;
		else if (isCredentialField(field)) credentials[field] = value;
	}
	return toOpenConnection(definition, credentials, headers);
}

async function readSecret(
	db: Kysely<Tables>,
	box: SecretBox | undefined,
	row: Pick<ConnectionRow, "name">,
	field: string,
	key: string,
): Promise<string | undefined> {
	const secret = await findSecret(db, key);
	if (secret === undefined) throw unreadable(row, field, `there is no secret ${key}: store it, or enter a value`);
	return box?.open(secret.key, secret.sealed);
}

function unreadable({ name }: Pick<ConnectionRow, "name">, field: string, why: string): ModelError {
	return new ModelError("authentication", `${field} of the model connection ${name} cannot be read: ${why}`);
}

/** @throws ModelError `connection_off` when there is no address */
export function toOpenConnection(
	{ kind, base_url: given, settings, api, timeout_seconds: timeout }: ConnectionDefinition,
	credentials: OpenConnection["credentials"],
	headers: OpenConnection["headers"],
): OpenConnection {
	const baseUrl = given ?? defaultBaseUrl(kind, settings);
	if (baseUrl === undefined) throw new ModelError("connection_off", "The model connection has no address");
	return {
		kind,
		baseUrl,
		// Where a kind has one way to be spoken to, nothing reads it.
		api: api ?? KINDS[kind].apis[0] ?? "chat_completions",
		settings,
		credentials,
		headers,
		timeoutMs: timeout * 1_000,
	};
}

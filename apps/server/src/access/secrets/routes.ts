import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { userOf } from "#http/principal.ts";
import { formatTime } from "#http/wire-times.ts";
import { SecretBox } from "../auth/secret-box.ts";
import { listConnectionsWith, unconfirmConnectionsWith } from "./model-credentials.ts";
import { countSecrets, deleteSecret, findSecret, listSecrets, type SecretRow, upsertSecret } from "./queries.ts";
import { MAX_SECRETS, Secret, SecretWithValue, UpdatedSecrets, UpdateSecretsBody } from "./schemas.ts";

const SecretPage = z.object({ data: z.array(Secret), next_cursor: z.null() }).meta({ id: "SecretPage" });

/** Stored secrets, for admins: names in lists, values one at a time, each reading in the audit log. */
export function secretRoutes(app: App, { auth, db, now }: Context): void {
	const box = auth.keys === undefined ? undefined : new SecretBox(auth.keys);

	app.put(
		"/v1/secrets",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "updateSecrets",
				tags: ["secrets"],
				summary: "Store and delete secrets, all or none; null deletes; of several values for a key, the last counts",
				body: UpdateSecretsBody,
				response: { 200: z.object({ data: UpdatedSecrets }) },
			},
		},
		async (request) => {
			const { actor, principal } = request;
			const changes = new Map(request.body.secrets.map(({ key, value }) => [key, value]));
			const sealed = [...changes].flatMap(([key, value]) =>
				value === null ? [] : [{ key, sealed: needBox(box).seal(key, value) }],
			);
			const deleted = [...changes].flatMap(([key, value]) => (value === null ? [key] : []));
			const author = userOf(principal)?.id ?? null;
			await actor.change(async (transaction) => {
				const record = (action: "secret.write" | "secret.delete", name: string) =>
					auth.audit.recordIn(transaction, {
						action,
						outcome: "success",
						principal,
						request,
						target: { type: "secret", name },
					});
				for (const key of deleted) {
					refuseInUse(key, await listConnectionsWith(transaction, key));
					if (await deleteSecret(transaction, key)) await record("secret.delete", key);
				}
				for (const secret of sealed) {
					await upsertSecret(transaction, { ...secret, author, now: now() });
					// A key of somebody else would show them what is sent with it.
					if (!auth.enabled) await unconfirmConnectionsWith(transaction, secret.key);
					await record("secret.write", secret.key);
				}
				if ((await countSecrets(transaction)) > MAX_SECRETS) {
					throw new UserError(422, "too_many_secrets", `There may be at most ${MAX_SECRETS} secrets`);
				}
			});
			return { data: { upserted_keys: sealed.map(({ key }) => key), deleted_keys: deleted } };
		},
	);

	app.get(
		"/v1/secrets",
		{
			config: { access: "admin", home: "none" },
			schema: {
				operationId: "getSecrets",
				tags: ["secrets"],
				summary: "The names of all secrets, without their values",
				response: { 200: SecretPage },
			},
		},
		async () => ({ data: (await listSecrets(db.read)).map(toSecret), next_cursor: null }),
	);

	app.get(
		"/v1/secrets/:secret_key",
		{
			config: { access: "admin", home: "none", whenAuthIsOff: "refused" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getSecret",
				tags: ["secrets"],
				summary: "A secret with its value; reading it is recorded in the audit log",
				params: z.object({ secret_key: z.string() }),
				response: { 200: z.object({ data: SecretWithValue }) },
			},
		},
		async (request) => {
			const { actor, principal, params } = request;
			const secret = await findSecret(db.read, params.secret_key);
			if (secret === undefined) throw notFound("secret_not_found", "There is no secret with this name");
			const value = needBox(box).open(secret.key, secret.sealed);
			const isDamaged = value === undefined;
			await actor.change(async (transaction) => {
				await auth.audit.recordIn(transaction, {
					action: "secret.view",
					outcome: isDamaged ? "failure" : "success",
					...(isDamaged ? { code: "secret_damaged" } : {}),
					principal,
					request,
					target: { type: "secret", name: secret.key },
				});
			});
			if (isDamaged) {
				const message = "The stored value cannot be decrypted: it was changed in the database. Store it again.";
				throw new UserError(500, "secret_damaged", message);
			}
			return { data: { ...toSecret(secret), value } };
		},
	);
}

function needBox(box: SecretBox | undefined): SecretBox {
	if (box !== undefined) return box;
	throw new UserError(
		409,
		"no_encryption_key",
		"Secrets are encrypted with SERVICE_SECRET, which is not set: set it, and restart.",
	);
}

function refuseInUse(key: string, connections: readonly string[]): void {
	if (connections.length === 0) return;
	throw new UserError(
		409,
		"secret_in_use",
		`The secret ${key} is used by model connections: ${connections.join(", ")}. Give them another credential first.`,
		{ details: { connections } },
	);
}

function toSecret({ key, created_at, updated_at, author }: SecretRow): z.output<typeof Secret> {
	return {
		key,
		created_at: formatTime(created_at),
		updated_at: formatTime(updated_at),
		...(author === null ? {} : { updated_by: { id: encodeGlobalId("User", author.id), username: author.username } }),
	};
}

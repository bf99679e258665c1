import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "#context.ts";
import { authenticationIsOff } from "#http/access-policy.ts";
import { userOf } from "#http/principal.ts";
import { type ApiKeyKind, mintApiKey } from "../auth/principals/api-key.ts";
import { findSystemUser } from "../auth/principals/find-principals.ts";
import { assertNoOlderServer } from "../rights/older-servers.ts";
import { isIngestOnly } from "./limit-schemas.ts";
import { findListedKey, insertKey, type SystemKeyRow } from "./queries.ts";
import type { CreateApiKeyBody } from "./schemas.ts";
import { applyLimits, assertExpiry, limitsSomething, NO_LIMITS } from "./stored-limits.ts";
import { keyTarget } from "./to-api-key.ts";

export type KeyRequest = Pick<FastifyRequest, "actor" | "principal" | "ip" | "id" | "headers">;

type CreateRequest = KeyRequest & { readonly body: z.output<typeof CreateApiKeyBody> };

/** A key with its text, which is shown only once. */
export interface NewKey {
	readonly row: SystemKeyRow;
	readonly key: string;
}

const DATA = ["body", "data"];

/**
 * Makes a key for the caller, or for the system; an owner that the body names is ignored.
 * @throws ValidationError for an expiry that has passed or is too late, an unknown project, limits that do not fit each
 * other; UserError 409 when there are too many keys, or an older server would not heed the limits
 */
export async function createKey(
	{ auth, cluster, now }: Context,
	request: CreateRequest,
	kind: ApiKeyKind,
): Promise<NewKey> {
	const { principal } = request;
	const { name, description, expires_at: expiresAtMs = null, ...sent } = request.body.data;
	const creator = userOf(principal);
	if (creator === undefined) throw authenticationIsOff();
	if (limitsSomething(sent)) await assertNoOlderServer(cluster);
	const minted = mintApiKey(kind, isIngestOnly(sent.permissions ?? null));
	const row = await request.actor.change(async (transaction) => {
		await assertExpiry(transaction, expiresAtMs, now(), DATA);
		const limits = await applyLimits(transaction, request.actor, NO_LIMITS, sent, DATA);
		const owner = kind === "user" ? creator : await findSystemUser(transaction);
		if (owner === undefined) throw new Error("there is no system user");
		const id = await insertKey(transaction, {
			kind,
			userId: owner.id,
			createdBy: creator.id,
			minted,
			name,
			description: description ?? null,
			expiresAtMs,
			limits,
			replaces: null,
			now: now(),
		});
		await auth.audit.recordIn(transaction, {
			action: "api_key.create",
			outcome: "success",
			principal,
			request,
			target: keyTarget({ kind, id, name }),
			details: { expires: expiresAtMs !== null },
		});
		const created = await findListedKey(transaction, { kind, id }, now());
		if (created === undefined) throw new Error("a key that was just made is gone");
		return created;
	});
	auth.principals.invalidate();
	auth.keyUses.invalidate();
	return { row, key: minted.key };
}

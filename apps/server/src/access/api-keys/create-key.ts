import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { ValidationError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import { authenticationIsOff } from "#http/access-policy.ts";
import { userOf } from "#http/principal.ts";
import { type ApiKeyKind, mintApiKey } from "../auth/principals/api-key.ts";
import { findSystemUser } from "../auth/principals/find-principals.ts";
import { type ApiKeyRow, insertKey } from "./queries.ts";
import type { CreateApiKeyBody } from "./schemas.ts";
import { keyTarget } from "./to-api-key.ts";

type CreateRequest = Pick<FastifyRequest, "actor" | "principal" | "ip" | "id" | "headers"> & {
	readonly body: z.output<typeof CreateApiKeyBody>;
};

/**
 * Makes a key for the caller, or for the system; an owner that the body names is ignored.
 * @returns its row and the key's text, which is shown only once
 * @throws UserError 422 for an expiry that has passed, 409 when there are too many
 */
export async function createKey(
	{ auth, now }: Context,
	request: CreateRequest,
	kind: ApiKeyKind,
): Promise<{ readonly row: ApiKeyRow; readonly key: string; readonly createdBy: { id: number; username: string } }> {
	const { principal } = request;
	const { name, description, expires_at: expiresAtMs } = request.body.data;
	const creator = userOf(principal);
	if (creator === undefined) throw authenticationIsOff();
	if (typeof expiresAtMs === "number" && expiresAtMs * 1_000 <= now()) {
		throw new ValidationError([
			{ type: "value_error", loc: ["body", "data", "expires_at"], msg: "Value error, the expiry has passed" },
		]);
	}
	const minted = mintApiKey(kind);
	const row = await request.actor.change(async (transaction) => {
		const owner = kind === "user" ? creator : await findSystemUser(transaction);
		if (owner === undefined) throw new Error("there is no system user");
		const created = await insertKey(transaction, {
			kind,
			userId: owner.id,
			createdBy: creator.id,
			minted,
			name,
			description: description ?? null,
			expiresAtMs: expiresAtMs ?? null,
			now: now(),
		});
		await auth.audit.recordIn(transaction, {
			action: "api_key.create",
			outcome: "success",
			principal,
			request,
			target: keyTarget(created),
			details: { expires: created.expires_at_ms !== null },
		});
		return created;
	});
	auth.principals.invalidate();
	return { row, key: minted.key, createdBy: creator };
}

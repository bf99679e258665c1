import type { FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import type { AccessPolicy, Authorize } from "#http/access-policy.ts";
import type { Principal } from "#http/principal.ts";
import type { Tables } from "#storage/schema.ts";
import { forbidden, unauthorized } from "./access-errors.ts";
import type { Denials } from "./denials.ts";
import { mayCall } from "./may-call.ts";
import { findCurrent } from "./principals/find-principals.ts";
import type { Principals } from "./principals/principals.ts";

/** Requires credentials on every route that is not public. */
export function createAuthorize(principals: Principals, denials: Denials): Authorize {
	return async (request, access) => {
		if (access === "public") return { kind: "anonymous" };
		const credentials = await principals.authenticate(request.raw);
		if ("refused" in credentials) throw unauthorized(credentials.refused);
		const { principal } = credentials;
		if (mayCall(principal, access)) return principal;
		const error = forbidden(principal, access, mints(request));
		await denials.record(principal, routeOf(request), error.code, request);
		throw error;
	};
}

/**
 * Reads in `transaction` again whether who sent a request may still call a route with this policy: the role may have been
 * taken away, or the session ended, since the request began. Every change calls this in its transaction.
 * @returns the principal with the user's role of now
 * @throws UserError 401 or 403
 */
export async function assertStillAllowed(
	transaction: Kysely<Tables>,
	principal: Principal,
	access: AccessPolicy,
): Promise<Principal> {
	const current = await findCurrent(transaction, principal, Date.now() * 1_000);
	if (current === undefined) throw unauthorized("invalid");
	if (!mayCall(current, access)) throw forbidden(current, access, false);
	return current;
}

function mints({ method, routeOptions }: FastifyRequest): boolean {
	return method === "POST" && routeOptions.url?.endsWith("/api_keys") === true;
}

function routeOf({ method, routeOptions }: FastifyRequest): string {
	return `${method} ${routeOptions.url ?? "an unknown path"}`;
}

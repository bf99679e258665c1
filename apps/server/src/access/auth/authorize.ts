import type { FastifyRequest } from "fastify";
import type { Authorize } from "#http/access-policy.ts";
import { forbidden, unauthorized } from "./access-errors.ts";
import type { Denials } from "./denials.ts";
import { mayCall } from "./may-call.ts";
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

function mints({ method, routeOptions }: FastifyRequest): boolean {
	return method === "POST" && routeOptions.url?.endsWith("/api_keys") === true;
}

function routeOf({ method, routeOptions }: FastifyRequest): string {
	return `${method} ${routeOptions.url ?? "an unknown path"}`;
}

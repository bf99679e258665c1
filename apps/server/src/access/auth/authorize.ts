import type { FastifyRequest } from "fastify";
import { UserError } from "#base/errors.ts";
import type { AccessPolicy, Authorize } from "#http/access-policy.ts";
import { HIDDEN } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { askedThrough } from "#http/asked-through.ts";
import { type Audience, isLimited, type Principal } from "#http/principal.ts";
import type { Auth } from "../create-auth.ts";
import { forbidden, keyLimited, unauthorized } from "./access-errors.ts";
import type { Origin } from "./audit.ts";
import type { Denials } from "./denials.ts";
import { mayCall } from "./may-call.ts";
import type { SentHeaders } from "./principals/read-bearer.ts";

type Parts = Pick<Auth, "principals" | "denials" | "keyUses">;

/** Requires credentials on every route that is not public. */
export function createAuthorize(parts: Parts): Authorize {
	return async (request, access) => {
		if (access === "public") return { kind: "anonymous" };
		return await admit(parts, request.raw, {
			access,
			route: routeOf(request),
			from: request,
			mints: mints(request),
			refusesLimited: request.routeOptions.config.limitedKeys === "refused",
			audience: request.routeOptions.config.audience ?? askedThrough.getStore() ?? "api",
		});
	};
}

/** Notes what requests were denied after they had been admitted. */
export function noteDenials(app: App, denials: Pick<Denials, "note" | "hasRecorded">): void {
	app.addHook("onError", async ({ actor }, _reply, error) => {
		// Those without credentials have no actor.
		if (!(error instanceof UserError) || error.status !== 403 || denials.hasRecorded(error)) return;
		actor?.noteDenied(error.code);
	});
	// Once the answer was sent, so that it takes as long as if there were no such thing.
	app.addHook("onResponse", async (request, reply) => {
		const { actor } = request;
		if (actor === undefined || actor.principal.kind === "anonymous") return;
		// What is answered may link to what is hidden; who asked for that itself gets an error.
		if (reply.statusCode >= 400) actor.noteDenied(HIDDEN);
		denials.note(actor, routeOf(request), request);
	});
}

/** What somebody asks for. */
export interface Asked {
	readonly access: AccessPolicy;
	/** As the audit log names it. */
	readonly route: string;
	readonly from: Origin;
	/** Whether it is making a key. */
	readonly mints?: boolean;
	/** Whether it is nothing for limited keys, whatever the policy. */
	readonly refusesLimited?: boolean;
	/** For what a token has to be; the API when absent. */
	readonly audience?: Audience;
}

/**
 * Who asks, having checked that they may.
 * @param sent the same object each time that a request is looked at
 * @throws UserError 401, 403, 429
 */
export async function admit(parts: Parts, sent: SentHeaders, asked: Asked): Promise<Principal> {
	const { principals, denials, keyUses } = parts;
	const credentials = await principals.authenticate(sent, asked.from.ip);
	const { principal } = credentials;
	try {
		if ("refused" in credentials) throw unauthorized(credentials.refused);
		if (!isFor(asked.audience ?? "api", credentials.principal)) throw unauthorized("audience");
		keyUses.admitRequest(credentials.principal, sent, sent.headers.origin);
		assertMayCall(credentials.principal, asked);
		if (asked.access === "ingest") await keyUses.admitSpans(credentials.principal);
		return credentials.principal;
	} catch (error) {
		if (principal === undefined || !(error instanceof UserError)) throw error;
		principals.noteRefused(principal, error.code);
		if (error.status === 403) await denials.record(principal, asked.route, error, asked.from);
		throw error;
	}
}

/** Whether a token is for what is asked for: whoever gets one for another service must not be able to use it here. */
function isFor(audience: Audience, principal: Principal): boolean {
	return principal.kind !== "oauth_token" || principal.audience === audience;
}

function assertMayCall(principal: Principal, { access, mints, refusesLimited }: Asked): void {
	if (!mayCall(principal, access)) throw forbidden(principal, access, mints === true);
	if (refusesLimited === true && isLimited(principal)) throw keyLimited();
}

function mints({ method, routeOptions }: FastifyRequest): boolean {
	return method === "POST" && routeOptions.url?.endsWith("/api_keys") === true;
}

function routeOf({ method, routeOptions }: FastifyRequest): string {
	return `${method} ${routeOptions.url ?? "an unknown path"}`;
}

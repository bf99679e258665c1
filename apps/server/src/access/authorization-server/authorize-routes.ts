import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import { authenticationIsOff } from "#http/access-policy.ts";
import type { App } from "#http/app-type.ts";
import type { PrincipalUser } from "#http/principal.ts";
import { userOf } from "#http/principal.ts";
import { assertRoom } from "#http/storage-full.ts";
import { networkOf } from "../auth/rate-limit.ts";
import { approvalFields, readApproval } from "./approval.ts";
import {
	type AuthorizationRequest,
	assertOwnOrigin,
	type Parameters,
	type Redirectable,
	readAuthorizationRequest,
	readRedirectable,
} from "./authorization-request.ts";
import { assertFewGrants, ConsentRequest, toConsentRequest } from "./consent.ts";
import { requireIssuer } from "./issuer.ts";
import type { KnownClients } from "./known-clients.ts";
import { OAuthError } from "./oauth-error.ts";
import { areProgramsOn, keepNowhere } from "./parts.ts";
import { shownRedirect, withParameters } from "./redirect-uris.ts";
import { hashToken, mintCode } from "./tokens.ts";

/** RFC 6749, 4.1.2 allows ten minutes; a program asks at once. */
const CODE_MICROS = 60_000_000;
const MAX_TEXT = 4_096;

const text = z.string().max(MAX_TEXT);
const Decision = z.strictObject({
	client_id: text,
	redirect_uri: text,
	response_type: text,
	code_challenge: text,
	code_challenge_method: text,
	state: text.nullish(),
	scope: text.nullish(),
	resource: text.nullish(),
	approved: z.boolean(),
	...approvalFields,
});

/** A program asks for a code, and a user decides. */
export function authorizeRoutes(app: App, context: WritingContext, clients: KnownClients): void {
	const { auth, capacity, config, now } = context;
	if (!areProgramsOn(context)) return;
	const consentPage = `${config.SERVICE_HOST_ROOT_PATH}/oauth2/consent`;
	const findFor =
		({ ip }: FastifyRequest) =>
		(clientId: string) =>
			clients.find(clientId, networkOf(ip));

	const asking = {
		operationId: "authorize",
		tags: ["programs"],
		summary: "Where a program sends the browser of a user to be let in (RFC 6749, 4.1.1)",
		response: { 302: z.null() },
	};
	app.get(
		"/oauth2/authorize",
		{ config: { access: "public", home: "none" }, exposeHeadRoute: false, schema: asking },
		async (request, reply) => {
			keepPrivate(reply);
			const parameters = request.query as Parameters;
			let to: Redirectable | undefined;
			try {
				const issuer = requireIssuer(config, request);
				to = await readRedirectable(findFor(request), parameters);
				readAuthorizationRequest(to, parameters, issuer);
			} catch (error) {
				if (error instanceof UserError && error.status < 500) return sendPage(reply, error);
				if (!(error instanceof OAuthError) || to === undefined) throw error;
				return reply.redirect(answer(request, to, { error: error.code, error_description: error.message }), 302);
			}
			// The session is not looked at: from another site, a browser has not sent it.
			const at = request.url.indexOf("?");
			return reply.redirect(consentPage + (at < 0 ? "" : request.url.slice(at)), 302);
		},
	);

	app.get(
		"/oauth2/authorize/request",
		{
			config: { access: "session", home: "none" },
			schema: {
				operationId: "getAuthorizationRequest",
				tags: ["programs"],
				summary: "What a program asks for, for the page on which a user decides",
				description: "Takes the query of `/oauth2/authorize`.",
				response: { 200: ConsentRequest.extend({ redirect: z.object({ kind: z.string(), host: z.string() }) }) },
			},
		},
		async (request, reply) => {
			keepPrivate(reply);
			const asked = await readRequest(request, request.query as Parameters);
			const { issuer, authorization } = asked;
			return {
				...toConsentRequest(config, { ...authorization, user: asked.user, issuer }),
				redirect: shownRedirect(authorization.redirectUri),
			};
		},
	);

	app.post(
		"/oauth2/authorize/decision",
		{
			config: { access: "session", home: "none" },
			schema: {
				operationId: "decideAuthorization",
				tags: ["programs"],
				summary: "Let a program in, or refuse it",
				description: "Needs an `Origin` that is this service's own. Go to `redirect_to` then.",
				body: Decision,
				response: { 200: z.object({ redirect_to: z.string() }) },
			},
		},
		async (request, reply) => {
			keepPrivate(reply);
			assertOwnOrigin(config, requireIssuer(config, request), request.headers.origin);
			const { approved, permissions, projects, include_library, days, ...sent } = request.body;
			const parameters = Object.fromEntries(Object.entries(sent).filter(([, value]) => value != null));
			const { authorization, user } = await readRequest(request, parameters);
			const { client } = authorization;
			const about = {
				principal: request.principal,
				request,
				target: { type: "oauth2_client", name: client.name },
			} as const;
			if (!approved) {
				await auth.audit.record({ ...about, action: "oauth.grant.create", outcome: "denied" });
				return { redirect_to: answer(request, authorization, { error: "access_denied" }) };
			}
			assertRoom(capacity);
			const code = mintCode();
			await request.actor.change(async (transaction) => {
				await assertFewGrants(transaction, user.id, now());
				const approval = await readApproval(
					transaction,
					config,
					{ permissions, projects, include_library, days },
					{
						requested: authorization.scopes,
						audience: authorization.audience,
						...{ user, actor: request.actor, now: now() },
					},
				);
				const clientId = await clients.keep(transaction, client);
				await transaction
					.insertInto("oauth2_codes")
					.values({
						hash: hashToken(code),
						client_id: clientId,
						user_id: user.id,
						redirect_uri: authorization.redirectUri,
						code_challenge: authorization.codeChallenge,
						approved: JSON.stringify(approval),
						created_at: now(),
						expires_at: now() + CODE_MICROS,
						used_at: null,
						grant_id: null,
					})
					.execute();
				await auth.audit.recordIn(transaction, {
					...about,
					...{ action: "oauth.grant.create", outcome: "success" },
					target: { ...about.target, id: clientId },
					details: {
						permissions: approval.permissions?.join(" ") ?? "all",
						projects: approval.projectIds?.length ?? "all",
						resource: approval.audience,
					},
				});
			});
			return { redirect_to: answer(request, authorization, { code }) };
		},
	);

	interface Read {
		readonly authorization: AuthorizationRequest;
		readonly issuer: string;
		readonly user: PrincipalUser;
	}

	/** @throws UserError 400 for what `/oauth2/authorize` sends to the program */
	async function readRequest(request: FastifyRequest, parameters: Parameters): Promise<Read> {
		const issuer = requireIssuer(config, request);
		const user = userOf(request.principal);
		if (user === undefined) throw authenticationIsOff();
		try {
			const to = await readRedirectable(findFor(request), parameters);
			return { authorization: readAuthorizationRequest(to, parameters, issuer), issuer, user };
		} catch (error) {
			if (error instanceof OAuthError) throw new UserError(400, error.code, error.message);
			throw error;
		}
	}

	/** The address of the program with the answer, and with who answers (RFC 9207). */
	function answer(
		request: FastifyRequest,
		{ redirectUri, state }: Redirectable,
		parameters: Readonly<Record<string, string>>,
	): string {
		return withParameters(redirectUri, { ...parameters, state, iss: requireIssuer(config, request) });
	}
}

/** Addresses and answers have codes. */
function keepPrivate(reply: FastifyReply): void {
	keepNowhere(reply);
	void reply.header("referrer-policy", "no-referrer");
}

/** For a person whose program asks for something that can be answered to nobody. Nothing in it is from outside. */
function sendPage(reply: FastifyReply, { status, message }: UserError): FastifyReply {
	return reply
		.code(status)
		.type("text/html; charset=utf-8")
		.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'")
		.send(
			`<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Spanward</title></head>\n<body>\n<h1>This program cannot be let in</h1>\n<p>${message}</p>\n</body>\n</html>\n`,
		);
}

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { Context } from "#context.ts";
import type { App } from "#http/app-type.ts";
import type { Principal, SessionPrincipal } from "#http/principal.ts";
import { Steps } from "../sign-in/steps.ts";
import { boundedSteps } from "../sign-in-tries/bounded-report.ts";
import { SignInTry } from "../sign-in-tries/schemas.ts";
import { findTry, toSignInTry } from "../sign-in-tries/tries.ts";
import { sendTestMail } from "./check-mail.ts";
import { SignInState, StartedTry, TestMailBody, TestMailReport, TryLdapBody, TryProviderBody } from "./schemas.ts";
import { SignInStates } from "./state.ts";
import { tryLdap } from "./try-ldap.ts";
import { beginProviderTry } from "./try-provider.ts";

/** Routes for admins to look at and try how people sign in. */
export function signInCheckRoutes(app: App, context: Context): void {
	const { auth, config, now } = context;
	const states = new SignInStates(context);

	app.get(
		"/v1/sign_in",
		{
			config: { access: "admin", home: "none", whenAuthIsOff: "refused" },
			exposeHeadRoute: false,
			schema: {
				operationId: "getSignIn",
				tags: ["sign-in"],
				summary: "The ways to sign in, their settings without secrets, and whether they work",
				response: { 200: z.object({ data: SignInState }) },
			},
		},
		async (request) => ({ data: await states.read(request) }),
	);

	app.post(
		"/v1/sign_in/providers/:provider_id/try",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff: "refused", whenFull: "allowed" },
			onRequest: refuseTheSystem,
			schema: {
				operationId: "trySignInProvider",
				tags: ["sign-in"],
				summary: "Begin to sign in with a provider without being logged in: what it leads to is reported",
				description:
					"Sets a cookie with the transaction. The browser comes back from the provider to Settings → Sign-in, with the id of the report in `try`. If the provider cannot be reached, the address is that of the report at once.",
				params: z.object({ provider_id: z.string() }),
				body: TryProviderBody,
				response: { 200: z.object({ data: StartedTry }) },
			},
		},
		async (request, reply) => {
			const { params, body } = request;
			const provider = auth.oauth2.get(params.provider_id);
			if (provider === undefined) throw notFound("provider_not_found", "There is no provider with this id.");
			const by = sessionOf(request.principal);
			return { data: { authorization_url: await beginProviderTry(context, provider, by, body ?? {}, request, reply) } };
		},
	);

	app.get(
		"/v1/sign_in/tries/:try_id",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff: "refused", whenFull: "allowed" },
			exposeHeadRoute: false,
			onRequest: refuseTheSystem,
			schema: {
				operationId: "getSignInTry",
				tags: ["sign-in"],
				summary: "The results of one's own try; kept for ten minutes",
				params: z.object({ try_id: z.string() }),
				response: { 200: z.object({ data: SignInTry }) },
			},
		},
		async ({ principal, params }) => {
			const found = await findTry(context, sessionOf(principal).user.id, params.try_id);
			if (found === undefined) throw notFound("try_not_found", "You have no such try, or it has expired.");
			return { data: found };
		},
	);

	app.post(
		"/v1/sign_in/ldap/try",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff: "refused", whenFull: "allowed" },
			bodyLimit: 16_384,
			onRequest: refuseTheSystem,
			schema: {
				operationId: "trySignInLdap",
				tags: ["sign-in"],
				summary: "Look up a person in the directory, or check their password too, without logging anybody in",
				body: TryLdapBody,
				response: { 200: z.object({ data: SignInTry }) },
			},
		},
		async (request) => {
			const { ldap } = auth;
			if (ldap === undefined) throw notFound("ldap_off", "LDAP is off: set SERVICE_LDAP_HOST to switch it on.");
			if (request.body.password !== undefined) auth.ipLimits.take(request);
			return { data: toSignInTry(await tryLdap(context, ldap, request, request.body), now()) };
		},
	);

	app.post(
		"/v1/sign_in/mail/try",
		{
			config: { access: "admin_session", home: "none", whenAuthIsOff: "refused", whenFull: "allowed" },
			bodyLimit: 16_384,
			schema: {
				operationId: "sendTestMail",
				tags: ["sign-in"],
				summary: "Send a test mail, and report what the mail server says of it",
				body: TestMailBody,
				response: { 200: z.object({ data: TestMailReport }) },
			},
		},
		async (request) => {
			if (!auth.mail.isConfigured) {
				throw new UserError(
					503,
					"mail_not_configured",
					"No mails are sent here: set SERVICE_SMTP_HOSTNAME to a mail server.",
				);
			}
			auth.ipLimits.take(request);
			const { actor, principal } = request;
			await actor.assertStillAllowed();
			const steps = new Steps();
			const accepted = await sendTestMail(config, auth.mail, request.body.to, steps);
			const outcome = accepted ? "success" : "failure";
			await auth.audit.record({ action: "mail.try", outcome, principal, request, details: { to: request.body.to } });
			return { data: { accepted, steps: boundedSteps(steps.list) } };
		},
	);
}

/** Personal data from the directory is shown only to a person, whom the audit log names. */
async function refuseTheSystem({ principal }: FastifyRequest): Promise<void> {
	sessionOf(principal);
}

function sessionOf(principal: Principal): SessionPrincipal {
	if (principal.kind === "session") return principal;
	throw new UserError(403, "not_a_person", "Only an admin who is logged in can try signing in.");
}

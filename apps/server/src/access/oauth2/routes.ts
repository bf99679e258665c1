import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { type SignInErrorCode, SignInRefusal, Steps } from "../sign-in/steps.ts";
import { FinishedSignIns } from "./finish-sign-in.ts";
import { RefusalNotes } from "./refusal-notes.ts";

const Params = z.object({ provider_id: z.string() });

/** Signing in with providers. Exists only while authentication is on. */
export function oauth2Routes(app: App, context: WritingContext): void {
	const { auth, config } = context;
	if (!auth.enabled) return;
	const finished = new FinishedSignIns(context);
	const notes = new RefusalNotes(context);
	const errorPage = config.SERVICE_HOST_ROOT_PATH + (config.SERVICE_DISABLE_BASIC_AUTH ? "/logout" : "/login");

	void app.register(async (start: App) => {
		// Sent by a form without fields; its content does not matter.
		start.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, _body, done) =>
			done(null),
		);

		for (const method of ["GET", "POST"] as const) {
			start.route({
				method,
				url: "/oauth2/:provider_id/login",
				config: { access: "public", home: "none" },
				exposeHeadRoute: false,
				bodyLimit: 1_024,
				schema: {
					operationId: method === "GET" ? "startSignIn" : "startSignInByForm",
					tags: ["sign-in"],
					summary: "Send the browser to a provider to log in",
					description:
						"Sets a cookie with the transaction. The provider sends the browser back to `/oauth2/{provider_id}/tokens`.",
					params: Params,
					querystring: z.object({
						returnUrl: z.string().optional().catch(undefined).describe("The page to open then, below the root path."),
					}),
					response: { 302: z.null() },
				},
				handler: async (request, reply) => {
					keepPrivate(reply);
					const provider = auth.oauth2.get(request.params.provider_id);
					if (provider === undefined) return toErrorPage(reply, "unknown_idp");
					const { returnUrl } = request.query;
					try {
						return reply.redirect(await provider.begin({ returnUrl }, request, reply, new Steps()), 302);
					} catch (error) {
						return await refuse(provider.settings.id, request, reply, error);
					}
				},
			});
		}
	});

	app.get(
		"/oauth2/:provider_id/tokens",
		{
			config: { access: "public", home: "none" },
			exposeHeadRoute: false,
			schema: {
				operationId: "finishSignIn",
				tags: ["sign-in"],
				summary: "Where a provider sends the browser back to",
				description:
					"Sets the cookies of a new session and goes to the page that was asked for, or tells the log-in page why not in `error`.",
				params: Params,
				response: { 302: z.null() },
			},
		},
		async (request, reply) => {
			keepPrivate(reply);
			const provider = auth.oauth2.get(request.params.provider_id);
			if (provider === undefined) return toErrorPage(reply, "unknown_idp");
			try {
				return reply.redirect(await finished.finish(provider, request, reply), 302);
			} catch (error) {
				return await refuse(provider.settings.id, request, reply, error);
			}
		},
	);

	async function refuse(
		provider: string,
		request: FastifyRequest,
		reply: FastifyReply,
		error: unknown,
	): Promise<FastifyReply> {
		if (!(error instanceof SignInRefusal)) throw error;
		await notes.note(request, error, provider);
		return toErrorPage(reply, error.code);
	}

	function toErrorPage(reply: FastifyReply, code: SignInErrorCode): FastifyReply {
		return reply.redirect(`${errorPage}?error=${code}`, 302);
	}
}

/** Callback addresses contain codes. */
function keepPrivate(reply: FastifyReply): void {
	void reply.header("cache-control", "no-store").header("referrer-policy", "no-referrer");
}

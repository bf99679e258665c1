import { z } from "zod";
import { UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import type { App } from "#http/app-type.ts";
import { assertRoom } from "#http/storage-full.ts";
import { networkOf } from "../auth/rate-limit.ts";
import { cleanName, nameKey } from "./client-names.ts";
import { clientTarget, insertClient, SEEDED_NAMES } from "./clients.ts";
import { requireIssuer } from "./issuer.ts";
import { OAuthError, sendOAuthError } from "./oauth-error.ts";
import { areProgramsOn, keepNowhere } from "./parts.ts";
import { registrationFault } from "./redirect-uris.ts";
import { mintClientId } from "./tokens.ts";
import { WindowLimit } from "./window-limit.ts";

const HOUR_MS = 3_600_000;
const MAX_BYTES = 65_536;
const MAX_URIS = 20;
const GRANT_TYPES: ReadonlySet<string> = new Set(["authorization_code", "refresh_token"]);
const RESERVED: ReadonlySet<string> = new Set(SEEDED_NAMES.map(nameKey));

/** Client metadata of RFC 7591, 2; what is not used is ignored, as the RFC says. */
const Registration = z.object({
	redirect_uris: z.array(z.string().max(4_096)).min(1).max(MAX_URIS),
	client_name: z.string().nullish(),
	grant_types: z.array(z.string()).max(20).nullish(),
	response_types: z.array(z.string()).max(20).nullish(),
});

/** Programs register themselves (RFC 7591). */
export function registrationRoutes(app: App, context: WritingContext): void {
	const { auth, capacity, config, db, now } = context;
	if (!areProgramsOn(context)) return;
	const attempts = new WindowLimit(config.SERVICE_OAUTH2_DCR_RATE_LIMIT_PER_HOUR, HOUR_MS);

	const schema = {
		operationId: "registerProgram",
		tags: ["programs"],
		summary: "A program registers itself (RFC 7591)",
		response: { 201: z.looseObject({ client_id: z.string() }) },
	};
	void app.register(async (endpoints: App) => {
		endpoints.setErrorHandler(sendOAuthError);
		endpoints.post(
			"/oauth2/register",
			{ config: { access: "public", home: "none" }, bodyLimit: MAX_BYTES, schema },
			async (request, reply) => {
				requireIssuer(config, request);
				if (config.SERVICE_OAUTH2_DYNAMIC_CLIENT_REGISTRATION === "disabled") {
					throw new UserError(403, "registration_disabled", "Programs cannot register themselves here: ask an admin.");
				}
				if (!config.SERVICE_DISABLE_RATE_LIMIT) take(networkOf(request.ip));
				assertRoom(capacity);
				const { name, redirectUris } = readRegistration(request.body);
				const clientId = mintClientId("px_dcr_");
				const client = {
					clientId,
					kind: "registered",
					name,
					redirectUris,
					deviceFlow: false,
					createdBy: null,
				} as const;
				const row = await db.write(async (transaction) => {
					const inserted = await insertClient(transaction, { ...client, now: now() });
					await auth.audit.recordIn(transaction, {
						action: "oauth.client.create",
						outcome: "success",
						request,
						target: clientTarget(inserted),
						details: { kind: "registered", redirect_uri: redirectUris[0] ?? null },
					});
					return inserted;
				});
				keepNowhere(reply);
				return reply.code(201).send({
					client_id: clientId,
					client_id_issued_at: Math.floor(row.created_at / 1_000_000),
					client_name: name,
					redirect_uris: redirectUris,
					grant_types: [...GRANT_TYPES],
					response_types: ["code"],
					token_endpoint_auth_method: "none",
				});
			},
		);
	});

	/** Counts attempts that fail, too. */
	function take(network: string): void {
		const retryAfter = attempts.waitOf(network);
		if (retryAfter !== undefined) {
			throw new UserError(429, "too_many_registrations", "Too many registrations from your address.", { retryAfter });
		}
		attempts.count(network);
	}

	/** @throws OAuthError */
	function readRegistration(body: unknown): { readonly name: string; readonly redirectUris: readonly string[] } {
		const parsed = Registration.safeParse(body);
		if (!parsed.success) {
			const [issue] = parsed.error.issues;
			const isUri = issue?.path[0] === "redirect_uris";
			throw new OAuthError(
				isUri ? "invalid_redirect_uri" : "invalid_client_metadata",
				`${issue?.path.join(".") ?? "the body"}: ${issue?.message ?? "is wrong"}`,
			);
		}
		const { client_name, grant_types, response_types, redirect_uris } = parsed.data;
		const redirectUris = [...new Set(redirect_uris)];
		for (const uri of redirectUris) {
			const fault = registrationFault(config, uri);
			if (fault !== undefined) throw new OAuthError("invalid_redirect_uri", `A redirect address ${fault}`);
		}
		if (grant_types?.includes("authorization_code") === false) {
			throw new OAuthError("invalid_client_metadata", "grant_types has to have authorization_code");
		}
		if (response_types?.includes("code") === false) {
			throw new OAuthError("invalid_client_metadata", "response_types has to have code");
		}
		const name = cleanName(client_name ?? "An unnamed program");
		if (name === undefined || RESERVED.has(nameKey(name))) {
			const why =
				name === undefined ? "is too long, has nothing to see or mixes scripts" : "is that of another program";
			throw new OAuthError("invalid_client_metadata", `client_name ${why}`);
		}
		return { name, redirectUris };
	}
}

import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { notFound, UserError } from "#base/errors.ts";
import type { WritingContext } from "#context.ts";
import { authenticationIsOff } from "#http/access-policy.ts";
import type { App } from "#http/app-type.ts";
import { type PrincipalUser, userOf } from "#http/principal.ts";
import { assertRoom } from "#http/storage-full.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { networkOf } from "../auth/rate-limit.ts";
import { approvalFields, readApproval } from "./approval.ts";
import { assertOwnOrigin, clientDisabled, type Parameters, readResource, text } from "./authorization-request.ts";
import { findClient, toClient } from "./clients.ts";
import { assertFewGrants, ConsentRequest, toConsentRequest } from "./consent.ts";
import {
	DEVICE_CODE_SECONDS,
	type DeviceRow,
	decideDevice,
	findDevice,
	insertDevice,
	POLL_SECONDS,
} from "./device-codes.ts";
import { requireIssuer } from "./issuer.ts";
import { OAuthError } from "./oauth-error.ts";
import { areProgramsOn, keepNowhere, mountFormEndpoints } from "./parts.ts";
import { parseScope } from "./scopes.ts";
import { shownUserCode, typedUserCode } from "./tokens.ts";
import { WindowLimit } from "./window-limit.ts";

const MAX_WRONG_CODES = 10;
const WRONG_CODES_MS = 600_000;

const user_code = z.string().min(1).max(100);
const AskedDevice = z.strictObject({ user_code });
const DeviceDecision = z.strictObject({ user_code, approved: z.boolean(), ...approvalFields });
const DeviceRequest = ConsentRequest.extend({
	user_code: z.string(),
	asked_at: wireTime,
	expires_at: wireTime,
	ip: z.string(),
	user_agent: z.string().nullable(),
});

/** Programs without a browser: a user enters their code on another device (RFC 8628). */
export function deviceRoutes(app: App, context: WritingContext): void {
	const { auth, capacity, config, db, now } = context;
	if (!areProgramsOn(context) || !config.SERVICE_OAUTH2_DEVICE_FLOW) return;
	const wrongCodes = new WindowLimit(MAX_WRONG_CODES, WRONG_CODES_MS);

	mountFormEndpoints(app, (endpoints) => {
		endpoints.post(
			"/oauth2/device_authorization",
			{ config: { access: "public", home: "none" }, schema: { hide: true } },
			async (request, reply) => {
				const issuer = requireIssuer(config, request);
				const parameters = (request.body ?? {}) as Parameters;
				const clientId = text(parameters, "client_id");
				const client = clientId === undefined ? undefined : await findClient(db.read, clientId);
				if (client?.id === undefined) throw new OAuthError("invalid_client", "No program has this client_id");
				if (client.disabled || !client.deviceFlow) {
					throw new OAuthError("unauthorized_client", "This program may not ask with a device code");
				}
				const scopes = parseScope(text(parameters, "scope"));
				if (scopes?.length === 0) throw new OAuthError("invalid_scope", "None of the scopes exists here");
				const scope = scopes === null ? null : scopes.join(" ");
				assertRoom(capacity);
				const { deviceCode, userCode } = await db.write((transaction) =>
					insertDevice(transaction, {
						...{ clientId: client.id ?? 0, scope, audience: readResource(parameters, issuer) },
						...{ ip: request.ip, userAgent: request.headers["user-agent"] ?? "", now: now() },
					}),
				);
				keepNowhere(reply);
				const shown = shownUserCode(userCode);
				return {
					device_code: deviceCode,
					user_code: shown,
					verification_uri: `${issuer}/device`,
					verification_uri_complete: `${issuer}/device?user_code=${shown}`,
					expires_in: DEVICE_CODE_SECONDS,
					interval: POLL_SECONDS,
				};
			},
		);
	});

	app.post(
		"/oauth2/device/request",
		{
			config: { access: "session", home: "none" },
			schema: {
				operationId: "getDeviceRequest",
				tags: ["programs"],
				summary: "What a program on another device asks for, by the code that it shows",
				body: AskedDevice,
				response: { 200: DeviceRequest },
			},
		},
		async (request, reply) => {
			keepNowhere(reply);
			const { device, client, user, issuer } = await readDevice(request, request.body.user_code);
			const scopes = parseScope(device.scope ?? undefined);
			return {
				...toConsentRequest(config, { client, user, scopes, audience: device.resource, issuer }),
				user_code: shownUserCode(typedUserCode(request.body.user_code)),
				asked_at: formatTime(device.created_at),
				expires_at: formatTime(device.expires_at),
				ip: device.ip,
				user_agent: device.user_agent === "" ? null : device.user_agent,
			};
		},
	);

	app.post(
		"/oauth2/device/decision",
		{
			config: { access: "session", home: "none" },
			schema: {
				operationId: "decideDevice",
				tags: ["programs"],
				summary: "Let in a program on another device, or refuse it",
				body: DeviceDecision,
				response: { 204: z.null() },
			},
		},
		async (request, reply) => {
			keepNowhere(reply);
			const { user_code: typed, approved, ...sent } = request.body;
			const { device, client, user } = await readDevice(request, typed);
			if (approved) assertRoom(capacity);
			await request.actor.change(async (transaction) => {
				if (approved) await assertFewGrants(transaction, user.id, now());
				const requested = parseScope(device.scope ?? undefined);
				const asked = { requested, audience: device.resource, user, actor: request.actor, now: now() };
				const approval = approved ? await readApproval(transaction, config, sent, asked) : undefined;
				const isDecided = await decideDevice(transaction, device.id, { userId: user.id, approval, now: now() });
				if (!isDecided) throw used();
				await auth.audit.recordIn(transaction, {
					...{ action: "oauth.device", outcome: approved ? "success" : "denied" },
					...{ principal: request.principal, request },
					target: { type: "oauth2_client", id: device.client_id, name: client.name },
					details: {
						...(approval === undefined
							? {}
							: {
									permissions: approval.permissions?.join(" ") ?? "all",
									projects: approval.projectIds?.length ?? "all",
								}),
						asked_from: device.ip,
					},
				});
			});
			return reply.code(204).send(null);
		},
	);

	/** @throws UserError 404, 409, 410, 429 */
	async function readDevice(request: FastifyRequest, typed: string) {
		const issuer = requireIssuer(config, request);
		assertOwnOrigin(config, issuer, request.headers.origin);
		const user = userOf(request.principal);
		if (user === undefined) throw authenticationIsOff();
		const keys = [`user ${user.id}`, `address ${networkOf(request.ip)}`];
		const [retryAfter] = keys.map((key) => wrongCodes.waitOf(key)).filter((wait) => wait !== undefined);
		if (retryAfter !== undefined) {
			throw new UserError(429, "too_many_user_codes", "Too many wrong codes; wait and try again.", { retryAfter });
		}
		const device = await findDevice(db.read, typedUserCode(typed));
		if (device === undefined) {
			for (const key of keys) wrongCodes.count(key);
			throw notFound(
				"unknown_user_code",
				"No program waits with this code. Look at it again, or start the program anew.",
			);
		}
		if (device.state !== "pending") throw used();
		if (device.expires_at <= now())
			throw new UserError(410, "user_code_expired", "The code has expired: start the program anew.");
		const client = await clientOf(device);
		if (client.disabled || !client.deviceFlow) throw clientDisabled();
		return { device, client, user: user satisfies PrincipalUser, issuer };
	}

	async function clientOf({ client_id }: DeviceRow) {
		const row = await db.read
			.selectFrom("oauth2_clients")
			.selectAll()
			.where("id", "=", client_id)
			.executeTakeFirstOrThrow();
		return toClient(row);
	}
}

function used(): UserError {
	return new UserError(409, "user_code_used", "This code was decided about already: start the program anew.");
}

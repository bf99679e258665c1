import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { Audience } from "#http/principal.ts";
import type { Client } from "./clients.ts";
import { audienceOf } from "./issuer.ts";
import { OAuthError } from "./oauth-error.ts";
import { isRegistered } from "./redirect-uris.ts";
import { parseScope, type Scope } from "./scopes.ts";

const MAX_STATE = 1_024;
const MAX_RESOURCE = 2_048;
/** BASE64URL of SHA-256 (RFC 7636, 4.2). */
const CHALLENGE = /^[\w-]{43}$/;

/** Members of a query or body as they came; a list for what came several times. */
export type Parameters = Readonly<Record<string, unknown>>;

/** A request for a code whose client and redirect address are known. */
export interface Redirectable {
	readonly client: Client;
	readonly redirectUri: string;
	/** Back as it was sent. */
	readonly state: string | undefined;
}

/** A request for a code that a user can decide about. */
export interface AuthorizationRequest extends Redirectable {
	readonly codeChallenge: string;
	readonly scopes: readonly Scope[] | null;
	readonly audience: Audience;
}

type FindClient = (clientId: string) => Promise<Client | undefined>;

/**
 * Who asks, and where the answer goes. Until both are known, nobody is sent anywhere.
 * @throws UserError 400
 */
export async function readRedirectable(find: FindClient, parameters: Parameters): Promise<Redirectable> {
	const { client_id: clientId, redirect_uri: redirectUri } = parameters;
	const client = typeof clientId === "string" ? await find(clientId) : undefined;
	if (client === undefined) {
		const message =
			"No program is registered here with this client_id. It may have been deleted: let the program register again.";
		throw new UserError(400, "invalid_client", message);
	}
	if (client.disabled) throw clientDisabled();
	if (typeof redirectUri !== "string" || !isRegistered(client.redirectUris, redirectUri)) {
		throw new UserError(
			400,
			"invalid_redirect_uri",
			"The program asks for an answer at an address that it has not registered (redirect_uri).",
		);
	}
	const state = parameters["state"];
	return { client, redirectUri, state: typeof state === "string" && state.length <= MAX_STATE ? state : undefined };
}

export function clientDisabled(): UserError {
	return new UserError(400, "client_disabled", "An admin has disabled this program.");
}

/** The rest of the request. @throws OAuthError for the redirect address */
export function readAuthorizationRequest(
	to: Redirectable,
	parameters: Parameters,
	issuer: string,
): AuthorizationRequest {
	const once = (name: string) => text(parameters, name);
	if ((once("state")?.length ?? 0) > MAX_STATE) throw invalid("state is longer than 1024 characters");
	if (once("request") !== undefined || once("request_uri") !== undefined)
		throw invalid("request objects are not supported");
	const type = once("response_type");
	if (type === undefined) throw invalid("response_type is missing");
	if (type !== "code") throw new OAuthError("unsupported_response_type", "response_type has to be code");
	if ((once("response_mode") ?? "query") !== "query") throw invalid("response_mode has to be query");
	const codeChallenge = once("code_challenge");
	if (codeChallenge === undefined) throw invalid("code_challenge is missing: PKCE is required");
	// Absent means plain (RFC 7636, 4.3), which is refused.
	if (once("code_challenge_method") !== "S256") throw invalid("code_challenge_method has to be S256");
	if (!CHALLENGE.test(codeChallenge)) throw invalid("code_challenge has to be a SHA-256 in base64url");
	const scopes = parseScope(once("scope"));
	if (scopes?.length === 0) throw new OAuthError("invalid_scope", "None of the scopes exists here");
	return { ...to, codeChallenge, scopes, audience: readResource(parameters, issuer) };
}

/** @throws OAuthError `invalid_target` */
export function readResource(parameters: Parameters, issuer: string): Audience {
	const { resource } = parameters;
	if (resource === undefined || resource === "") return "api";
	const audience =
		typeof resource === "string" && resource.length <= MAX_RESOURCE ? audienceOf(issuer, resource) : undefined;
	if (audience === undefined) throw new OAuthError("invalid_target", "resource has to be one address of this service");
	return audience;
}

/** A parameter that may come once (RFC 6749, 3.1); an empty one counts as absent. @throws OAuthError */
export function text(parameters: Parameters, name: string): string | undefined {
	const value = parameters[name];
	if (value === undefined || value === "") return undefined;
	if (typeof value !== "string") throw invalid(`${name} was sent more than once`);
	return value;
}

function invalid(message: string): OAuthError {
	return new OAuthError("invalid_request", message);
}

/** Where the decision has to come from: the origin that the issuer is at. */
export function assertOwnOrigin(
	config: Pick<Config, "SERVICE_OAUTH2_CONSENT_ORIGIN_CHECK">,
	issuer: string,
	origin: string | undefined,
): void {
	if (config.SERVICE_OAUTH2_CONSENT_ORIGIN_CHECK === "off" || origin === new URL(issuer).origin) return;
	throw new UserError(
		403,
		"foreign_origin",
		"A program can be let in only on a page of this service, at the address that SERVICE_ROOT_URL names.",
	);
}

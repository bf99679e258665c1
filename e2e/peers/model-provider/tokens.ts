import { verify } from "node:crypto";
import type { TokenControl } from "./control.ts";
import { type JsonObject, numberOf, objectOf, textOf } from "./json.ts";

/** Of Microsoft's authority: `/<tenant>/oauth2/v2.0/token`. */
export const ENTRA_PATH = /^\/([^/]+)\/oauth2\/v2\.0\/token$/;
/** Of Google's authority. */
export const GOOGLE_PATH = "/token";

const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const GOOGLE_AUDIENCE = "https://oauth2.googleapis.com/token";
const GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const ENTRA_SCOPES = ["https://cognitiveservices.azure.com/.default", "https://ai.azure.com/.default"];

export interface TokenAnswer {
	readonly status: number;
	readonly body: JsonObject;
}

/** A token for a service account's signed assertion (RFC 7523), as Google's authority answers. */
export function answerGoogle(form: URLSearchParams, control: TokenControl, token: string): TokenAnswer {
	if (control.status != null) return refuse("internal_failure", "The authority is not available.", control.status);
	if (form.get("grant_type") !== JWT_GRANT) return refuse("unsupported_grant_type", "Invalid grant_type");
	const assertion = form.get("assertion") ?? "";
	const [header = "", payload = "", signature = ""] = assertion.split(".");
	const claims = readPart(payload);
	const issuer = textOf(claims["iss"]) ?? "";
	if (readPart(header)["alg"] !== "RS256")
		return refuse("invalid_grant", "Invalid JWT: the algorithm has to be RS256.");
	if (claims["aud"] !== GOOGLE_AUDIENCE) return refuse("invalid_grant", "Invalid JWT: Failed audience check.");
	if (claims["scope"] !== GOOGLE_SCOPE)
		return refuse("invalid_scope", "Invalid OAuth scope or ID token audience provided.");
	const now = Date.now() / 1_000;
	const [issuedAt = 0, expiresAt = 0] = [numberOf(claims["iat"]), numberOf(claims["exp"])];
	if (issuedAt > now + 60 || expiresAt < now || expiresAt > issuedAt + 3_600)
		return refuse(
			"invalid_grant",
			"Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.",
		);
	if (control.serviceAccounts != null) {
		const key = control.serviceAccounts[issuer];
		if (key === undefined) return refuse("invalid_grant", "Invalid grant: account not found");
		const signed = Buffer.from(`${header}.${payload}`);
		if (!verify("RSA-SHA256", signed, key, Buffer.from(signature, "base64url")))
			return refuse("invalid_grant", "Invalid JWT Signature.");
	}
	return grant(control, token);
}

/** A token for a client and its secret (RFC 6749, 4.4), as Microsoft's authority answers. */
export function answerEntra(tenant: string, form: URLSearchParams, control: TokenControl, token: string): TokenAnswer {
	if (control.status != null)
		return refuse("temporarily_unavailable", "AADSTS90033: A transient error has occurred.", control.status);
	if (form.get("grant_type") !== "client_credentials")
		return refuse("unsupported_grant_type", "AADSTS70003: The app requested an unsupported grant type.");
	if (!ENTRA_SCOPES.includes(form.get("scope") ?? ""))
		return refuse("invalid_scope", "AADSTS70011: The provided value for the input parameter 'scope' is not valid.");
	const client = form.get("client_id") ?? "";
	if (control.clients != null) {
		const secret = control.clients[`${tenant}/${client}`];
		if (secret === undefined)
			return refuse("unauthorized_client", `AADSTS700016: Application '${client}' was not found.`);
		if (secret !== form.get("client_secret"))
			return refuse("invalid_client", "AADSTS7000215: Invalid client secret provided.", 401);
	}
	return grant(control, token);
}

function grant({ expiresIn = 3_599 }: TokenControl, access_token: string): TokenAnswer {
	return { status: 200, body: { access_token, expires_in: expiresIn, token_type: "Bearer" } };
}

function refuse(error: string, description: string, status = 400): TokenAnswer {
	return { status, body: { error, error_description: description } };
}

function readPart(part: string): JsonObject {
	try {
		return objectOf(JSON.parse(Buffer.from(part, "base64url").toString()));
	} catch (error) {
		if (error instanceof SyntaxError) return {};
		throw error;
	}
}

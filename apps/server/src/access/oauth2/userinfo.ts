import { errors } from "jose";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { parseJson } from "#http/parse-json.ts";
import type { Claims } from "./identity-from-claims.ts";
import { type Outgoing, OutgoingError } from "./outgoing.ts";
import { outgoingFault } from "./outgoing-faults.ts";
import { ProviderFault } from "./provider-fault.ts";
import type { ProviderKeys } from "./provider-keys.ts";

/**
 * What userinfo says of the subject of an ID token.
 * @throws ProviderFault
 */
export async function fetchUserinfo(
	provider: OAuth2Provider,
	{ outgoing, keys }: { readonly outgoing: Outgoing; readonly keys: ProviderKeys },
	address: string,
	accessToken: string,
	idToken: Claims,
): Promise<Claims> {
	const fault = (text: string, cause?: unknown) => new ProviderFault("userinfo", text, { code: "auth_failed", cause });
	// RFC 6750, 2.1; anything else would break out of the header.
	if (!/^[\w.~+/-]+=*$/.test(accessToken)) throw fault("The access token cannot be used for userinfo.");
	const headers = { accept: "application/json, application/jwt", authorization: `Bearer ${accessToken}` };
	const answer = await outgoing.send(address, { headers }).catch((error) => {
		if (!(error instanceof OutgoingError)) throw error;
		const asked = { step: "userinfo", what: "userinfo", address, code: "auth_failed" } as const;
		throw outgoingFault(error, asked, provider.prefix);
	});
	if (answer.status !== 200) {
		throw new ProviderFault("userinfo", `The provider answered ${answer.status} for userinfo.`, {
			code: "auth_failed",
			settings: [`${provider.prefix}SCOPES`],
		});
	}
	const isSigned = /^application\/jwt\b/i.test(answer.headers.get("content-type") ?? "");
	const claims = isSigned ? await verify(answer.text) : parseJson(answer.text);
	if (!isClaims(claims)) throw fault("The provider's answer for userinfo is not a JSON object.");
	if (String(claims["sub"]) !== String(idToken["sub"])) {
		throw fault("Userinfo is about somebody else than the ID token: its sub is different.");
	}
	return claims;

	/** OpenID Connect Core 5.3.2 */
	async function verify(text: string): Promise<Claims> {
		try {
			const claims = await keys.verify(text.trim(), { clockTolerance: 60 });
			const audience = [claims.aud ?? provider.clientId].flat();
			if ((claims.iss ?? idToken["iss"]) === idToken["iss"] && audience.includes(provider.clientId)) return claims;
		} catch (error) {
			if (error instanceof errors.JOSEError || error instanceof TypeError)
				throw fault("The signature of userinfo is wrong.", error);
			throw error;
		}
		throw fault("Userinfo is signed by another issuer, or for another client.");
	}
}

/** The claims of both; those of the ID token win. `email_verified` of userinfo does not apply to another email. */
export function mergeClaims(idToken: Claims, userinfo: Claims): Claims {
	const { email, email_verified: verified, ...others } = userinfo;
	const isAboutAnother = "email" in idToken && email !== undefined && email !== idToken["email"];
	const isYes = verified === true || (typeof verified === "string" && verified.toLowerCase() === "true");
	if (isAboutAnother && isYes) return { ...others, ...idToken };
	return { ...userinfo, ...idToken };
}

function isClaims(value: unknown): value is Claims {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

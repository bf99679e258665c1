import { open } from "node:fs/promises";
import type { ClientAuth } from "openid-client";
import { present } from "#base/present.ts";
import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { ProviderFault } from "./provider-fault.ts";

const MAX_ASSERTION_BYTES = 65_536;
/** RFC 7523, 2.2 */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** How this service proves to a provider that it is its client. */
export async function clientAuthentication(provider: OAuth2Provider): Promise<ClientAuth> {
	const { ClientSecretPost, None } = await import("openid-client");
	const secret = () => present(provider.clientSecret, `${provider.prefix}CLIENT_SECRET`).reveal();
	switch (provider.authMethod) {
		case "client_secret_basic":
			return (_server, client, _body, headers) => {
				headers.set("authorization", basicCredentials(client.client_id, secret()));
			};
		case "client_secret_post":
			return ClientSecretPost(secret());
		case "none":
			return None();
		case "client_assertion_jwt":
			return async (_server, client, body) => {
				body.set("client_id", client.client_id);
				body.set("client_assertion_type", ASSERTION_TYPE);
				body.set("client_assertion", await readAssertion(provider));
			};
	}
}

/**
 * RFC 6749, 2.3.1, encodes id and secret; many providers compare what was sent without decoding. So as little as
 * possible is encoded, and a space as `%20`, which decoders of forms and of percent signs read alike. The library's own
 * encodes `-._~*` as well (panva/oauth4webapi#148).
 */
function basicCredentials(id: string, secret: string): string {
	const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
	return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** Read anew for each request: its issuer replaces it before it expires. */
async function readAssertion({ prefix, assertionFile }: OAuth2Provider): Promise<string> {
	const fault = (text: string, cause?: unknown) =>
		new ProviderFault("tokens", text, { code: "oauth_error", settings: [`${prefix}CLIENT_ASSERTION_FILE`], cause });
	const path = present(assertionFile, `${prefix}CLIENT_ASSERTION_FILE`);
	let assertion: string;
	try {
		await using file = await open(path, "r");
		const stats = await file.stat();
		if (!stats.isFile() || stats.size > MAX_ASSERTION_BYTES)
			throw fault("The file of the client assertion is no file, or too large.");
		assertion = (await file.readFile("utf8")).trim();
	} catch (error) {
		throw error instanceof ProviderFault ? error : fault("The file of the client assertion cannot be read.", error);
	}
	if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(assertion)) throw fault("The file of the client assertion has no signed JWT.");
	return assertion;
}

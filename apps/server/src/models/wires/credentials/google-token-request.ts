import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import { ModelError } from "#models/model-error.ts";
import { parseJson } from "../json-object.ts";
import type { TokenRequest } from "./access-tokens.ts";

const TOKEN_ADDRESS = "https://oauth2.googleapis.com/token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/** What of a service account is used; above all not its `token_uri`, which is wherever its writer wants. */
const ServiceAccount = z.object({
	client_email: z.string().min(1),
	private_key: z.string().min(1),
	private_key_id: z.string().optional(),
});

/** https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests */
export async function googleTokenRequest(account: string, url = TOKEN_ADDRESS): Promise<TokenRequest> {
	const { client_email: email, private_key: key, private_key_id: id } = readAccount(account);
	const assertion = await new SignJWT({ scope: SCOPE })
		.setProtectedHeader({ alg: "RS256", typ: "JWT", ...(id === undefined ? {} : { kid: id }) })
		.setIssuer(email)
		.setSubject(email)
		.setAudience(TOKEN_ADDRESS)
		.setIssuedAt()
		.setExpirationTime("1h")
		.sign(await readKey(key));
	const form = new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
	return { url, form };
}

function readAccount(text: string): z.output<typeof ServiceAccount> {
	const parsed = ServiceAccount.safeParse(parseJson(text)?.value);
	if (parsed.success) return parsed.data;
	throw new ModelError(
		"authentication",
		"The service account of the connection is not the JSON file that Google gives: it needs client_email and private_key.",
	);
}

async function readKey(pem: string): Promise<CryptoKey> {
	try {
		return await importPKCS8(pem, "RS256");
	} catch (error) {
		// Its message may quote the key.
		if (!(error instanceof Error)) throw error;
		throw new ModelError(
			"authentication",
			"The private_key of the connection's service account is not a key in PEM (-----BEGIN PRIVATE KEY-----).",
		);
	}
}

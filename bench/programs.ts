import { createHash, randomBytes } from "node:crypto";
import type { Client } from "../e2e/access/accounts.ts";
import type { TestServer } from "../e2e/server.ts";

const CALLBACK = "http://127.0.0.1:43110/callback";
const CLIENT_ID = "spanward-cli";

export interface Tokens {
	readonly access_token: string;
	readonly refresh_token: string;
}

/** Lets the command line in for who is logged in, as its log-in and the page of consent do. @throws when that fails */
export async function authorize(server: TestServer, user: Client): Promise<Tokens> {
	const verifier = randomBytes(32).toString("base64url");
	const request = {
		...{ client_id: CLIENT_ID, redirect_uri: CALLBACK, response_type: "code", code_challenge_method: "S256" },
		...{ code_challenge: createHash("sha256").update(verifier).digest("base64url"), state: "state", approved: true },
	};
	const decided = await user.send("POST", "/oauth2/authorize/decision", request, { origin: server.url });
	const { redirect_to: address = "" } = (await decided.json()) as { redirect_to?: string };
	const code = URL.parse(address)?.searchParams.get("code") ?? "";
	return await askForTokens(server, {
		...{ grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: CALLBACK },
	});
}

/** Exchanges a refresh token, which is spent then. @throws when that fails */
export async function refresh(server: TestServer, refreshToken: string): Promise<Tokens> {
	return await askForTokens(server, { grant_type: "refresh_token", refresh_token: refreshToken });
}

async function askForTokens({ url }: TestServer, fields: Readonly<Record<string, string>>): Promise<Tokens> {
	const response = await fetch(`${url}/oauth2/token`, {
		method: "POST",
		body: new URLSearchParams({ ...fields, client_id: CLIENT_ID }),
	});
	if (!response.ok) throw new Error(`/oauth2/token answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as Tokens;
}

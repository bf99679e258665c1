import { auth } from "@modelcontextprotocol/client";
import * as openid from "openid-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { testMcpProgram } from "./test-mcp-program.ts";
import { ON } from "./test-program.ts";

let server: TestApp;
let user: TestPrincipal;
let url: string;

beforeAll(async () => {
	server = await openTestApp({ ...ON });
	user = await server.signedIn("MEMBER");
	url = await server.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => server[Symbol.asyncDispose]());

/** As the browser does: follows the program's address to the page, and posts what the page posts. */
async function approve(authorizationUrl: URL): Promise<URL> {
	const asked = await fetch(authorizationUrl, { redirect: "manual" });
	const page = new URL(asked.headers.get("location") ?? "", url);
	expect(page.pathname).toBe("/oauth2/consent");
	const look = await fetch(`${url}/oauth2/authorize/request${page.search}`, { headers: user.headers });
	expect(look.status).toBe(200);
	const names = [
		"client_id",
		"redirect_uri",
		"response_type",
		"code_challenge",
		"code_challenge_method",
		"state",
		"scope",
	];
	const sent = [...names, "resource"].flatMap((name) => {
		const value = page.searchParams.get(name);
		return value === null ? [] : [[name, value]];
	});
	const decided = await fetch(`${url}/oauth2/authorize/decision`, {
		method: "POST",
		headers: { ...user.headers, origin: url, "content-type": "application/json" },
		body: JSON.stringify({ ...Object.fromEntries(sent), approved: true }),
	});
	const { redirect_to } = (await decided.json()) as { redirect_to: string };
	return new URL(redirect_to);
}

const INSECURE: openid.DiscoveryRequestOptions = { execute: [openid.allowInsecureRequests], algorithm: "oauth2" };

/** As a program does that registers itself, and as one whose `client_id` is known everywhere. */
const CONFIGURATIONS = {
	registers: () =>
		openid.dynamicClientRegistration(
			new URL(url),
			{ client_name: "of openid-client", redirect_uris: ["http://127.0.0.1/cb"], token_endpoint_auth_method: "none" },
			openid.None(),
			INSECURE,
		),
	"is phoenix-cli": () => openid.discovery(new URL(url), "phoenix-cli", undefined, openid.None(), INSECURE),
};

test.each([
	["registers", "http://127.0.0.1:5123/cb"],
	["is phoenix-cli", "http://127.0.0.1:5123/callback"],
] as const)("R67 openid-client discovers, %s, logs in, refreshes and revokes", async (how, redirect_uri) => {
	const registered = await CONFIGURATIONS[how]();
	expect(registered.serverMetadata().supportsPKCE()).toBe(true);
	const verifier = openid.randomPKCECodeVerifier();
	const state = openid.randomState();
	const authorizationUrl = openid.buildAuthorizationUrl(registered, {
		...{ redirect_uri, state, scope: "read", code_challenge_method: "S256" },
		code_challenge: await openid.calculatePKCECodeChallenge(verifier),
	});
	// It checks state and issuer (RFC 9207) itself.
	const tokens = await openid.authorizationCodeGrant(registered, await approve(authorizationUrl), {
		...{ pkceCodeVerifier: verifier, expectedState: state },
	});
	expect(tokens).toMatchObject({ token_type: "bearer", scope: "read" });
	const me = () => openid.fetchProtectedResource(registered, tokens.access_token, new URL(`${url}/v1/user`), "GET");
	expect((await me()).status).toBe(200);
	const renewed = await openid.refreshTokenGrant(registered, tokens.refresh_token ?? "");
	await expect(openid.refreshTokenGrant(registered, "sw_r_unknown")).rejects.toMatchObject({ error: "invalid_grant" });
	await openid.tokenRevocation(registered, renewed.refresh_token ?? "");
	expect((await fetch(`${url}/v1/user`, { headers: { authorization: `Bearer ${renewed.access_token}` } })).status).toBe(
		401,
	);
});

test("R67 openid-client logs in a device", async () => {
	const config = await openid.discovery(new URL(url), "spanward-cli", undefined, openid.None(), INSECURE);
	const device = await openid.initiateDeviceAuthorization(config, { scope: "read" });
	const decided = await fetch(`${url}/oauth2/device/decision`, {
		method: "POST",
		headers: { ...user.headers, origin: url, "content-type": "application/json" },
		body: JSON.stringify({ user_code: device.user_code, approved: true }),
	});
	expect(decided.status).toBe(204);
	const tokens = await openid.pollDeviceAuthorizationGrant(config, device);
	expect(tokens.scope).toBe("read");
});

test("R67 the client of the MCP SDK discovers, registers, logs in and refreshes", async () => {
	const { provider: program, kept } = testMcpProgram("of the MCP SDK", "http://127.0.0.1:5124/callback");
	const provider = { ...program, state: () => "of-the-sdk" };
	expect(await auth(provider, { serverUrl: url })).toBe("REDIRECT");
	const answer = await approve(kept.address ?? new URL(url));
	const iss = answer.searchParams.get("iss") ?? "";
	const authorizationCode = answer.searchParams.get("code") ?? "";
	expect(await auth(provider, { serverUrl: url, authorizationCode, iss })).toBe("AUTHORIZED");
	const first = kept.tokens as { access_token: string };
	const me = await fetch(`${url}/v1/user`, { headers: { authorization: `Bearer ${first.access_token}` } });
	expect(me.status).toBe(200);
	expect(await auth(provider, { serverUrl: url })).toBe("AUTHORIZED");
	expect((kept.tokens as { access_token: string }).access_token).not.toBe(first.access_token);
});

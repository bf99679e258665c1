import { ModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { exportPKCS8, exportSPKI, generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { OutgoingGuard } from "#base/outgoing/outgoing-guard.ts";
import type { OpenConnection } from "../connection.ts";
import { askProvider } from "./ask-provider.ts";
import { AccessTokens } from "./credentials/access-tokens.ts";
import { googleTokenRequest } from "./credentials/google-token-request.ts";
import { microsoftTokenRequest } from "./credentials/microsoft-token-request.ts";
import { listModels } from "./list-models.ts";
import { testWire } from "./test-wires.ts";

let provider: ModelProvider;
let account: string;
let publicKey: string;
const outgoing = new OutgoingGuard({ allowedHosts: [], allowsLoopback: true, ownPorts: [] });
const EMAIL = "robot@project.iam.gserviceaccount.com";

beforeAll(async () => {
	provider = await ModelProvider.start();
	const pair = await generateKeyPair("RS256", { extractable: true });
	publicKey = await exportSPKI(pair.publicKey);
	account = JSON.stringify({
		type: "service_account",
		client_email: EMAIL,
		private_key_id: "key-1",
		private_key: await exportPKCS8(pair.privateKey),
		token_uri: "http://127.0.0.1:9/stolen",
	});
});
afterAll(async () => {
	await outgoing[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});
beforeEach(() => provider.reset());

function list(connection: OpenConnection, tokens?: AccessTokens) {
	const { signal } = new AbortController();
	return listModels(connection, {
		fetch: outgoing.fetch(connection),
		signal,
		...(tokens === undefined ? {} : { tokens }),
	});
}

function failureOf(asked: Promise<unknown>): Promise<unknown> {
	return asked.then(
		() => "It should have failed",
		(reason: unknown) => reason,
	);
}

it.each([
	["openai, Chat Completions", ["gpt-4o-mini", "gpt-5-mini", "llama3.2:latest"], "/v1/models"],
	["openai_compatible", ["gpt-4o-mini", "gpt-5-mini", "llama3.2:latest"], "/v1/models"],
	["azure_openai", ["gpt-4o-mini", "gpt-5-mini", "llama3.2:latest"], "/openai/v1/models"],
	["anthropic", ["claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929"], "/v1/models?limit=1000"],
	["google", ["gemini-2.5-flash", "gemini-2.5-pro"], "/v1beta/models?pageSize=1000"],
	["google_vertex", ["gemini-2.5-flash", "gemini-2.5-pro"], "/v1beta1/publishers/google/models?pageSize=1000"],
	[
		"aws_bedrock",
		["amazon.nova-lite-v1:0", "anthropic.claude-haiku-4-5-20251001-v1:0", "us.amazon.nova-lite-v1:0"],
		"/inference-profiles?maxResults=1000",
	],
])("lists the models of %s", async (name, names, path) => {
	const connection = testWire(name).connection(provider);
	const { api_key: key, access_key_id: id, secret_access_key: secret } = connection.credentials;
	if (Object.keys(connection.credentials).length > 0) await provider.control({ keys: [key ?? `${id}:${secret}`] });
	expect(await list(connection)).toEqual(names);
	expect((await provider.lastRequest()).path).toBe(path);
});

it("tells why there is no list, without the key", async () => {
	const connection = testWire("openai, Responses").connection(provider);
	await provider.setModel("/models", { behaviours: ["status-401-echo"] });
	const error = await failureOf(list(connection));
	expect(error).toMatchObject({ code: "authentication", message: expect.not.stringContaining("1234567890") });
	await provider.setModel("/models", { behaviours: ["html"] });
	expect(await failureOf(list(connection))).toMatchObject({ code: "bad_response" });
	await provider.setModel("/models", { behaviours: ["redirect"] });
	expect(await failureOf(list(connection))).toMatchObject({ code: "bad_response" });
});

it("tells that a list took too long", async () => {
	const connection = testWire("openai_compatible").connection(provider);
	await provider.setModel("/models", { behaviours: ["silent"] });
	const signal = AbortSignal.timeout(50);
	const error = await failureOf(listModels(connection, { fetch: outgoing.fetch(connection), signal }));
	expect(error).toMatchObject({ code: "timeout", isPassing: true });
});

it("leaves profiles of Bedrock out for who may not list them", async () => {
	const connection = testWire("aws_bedrock").connection(provider);
	const guarded = outgoing.fetch(connection);
	const fetch: typeof guarded = async (input, init) => {
		const isProfiles = String(input).includes("/inference-profiles");
		return isProfiles ? Response.json({ message: "not authorized" }, { status: 403 }) : await guarded(input, init);
	};
	const { signal } = new AbortController();
	expect(await listModels(connection, { fetch, signal })).toEqual([
		"amazon.nova-lite-v1:0",
		"anthropic.claude-haiku-4-5-20251001-v1:0",
	]);
});

function vertex(): OpenConnection {
	return { ...testWire("google_vertex").connection(provider), credentials: { service_account: account } };
}

function azure(): OpenConnection {
	const credentials = { tenant_id: "tenant", client_id: "client", client_secret: "a client's secret" };
	return { ...testWire("azure_openai").connection(provider), credentials };
}

const HELLO = { messages: [{ role: "user" as const, content: "Hello" }] };

it("signs in at Vertex with a service account, and keeps the token for the calls after", async () => {
	await provider.control({ keys: [], tokens: { serviceAccounts: { [EMAIL]: publicKey } } });
	const tokens = new AccessTokens({ google: `${provider.url}/token` });
	const { signal } = new AbortController();
	for (const text of ["You said: Hello", "You said: Hello"]) {
		const options = { fetch: outgoing.fetch(vertex()), signal, tokens };
		expect(await askProvider(vertex(), { ...HELLO, model: "gemini-m" }, options)).toMatchObject({ text });
	}
	const requests = await provider.requests();
	expect(requests.map(({ path }) => path.replace(/.*\//, ""))).toEqual([
		"token",
		"gemini-m:generateContent",
		"gemini-m:generateContent",
	]);
	expect(requests[1]?.headers["authorization"]).toMatch(/^Bearer ./);
	expect(requests[2]?.headers["authorization"]).toBe(requests[1]?.headers["authorization"]);
});

it("asks Google itself for tokens, whatever the service account's token_uri says", async () => {
	expect((await googleTokenRequest(account)).url).toBe("https://oauth2.googleapis.com/token");
});

it("signs in at Entra with a client's secret, and asks again shortly before the token ends", async () => {
	await provider.control({ keys: [], tokens: { clients: { "tenant/client": "a client's secret" }, expiresIn: 60 } });
	const tokens = new AccessTokens({ microsoft: provider.url });
	const { signal } = new AbortController();
	for (const calls of [1, 2]) {
		await askProvider(azure(), { ...HELLO, model: "m" }, { fetch: outgoing.fetch(azure()), signal, tokens });
		const { headers } = await provider.lastRequest();
		expect(headers["api-key"]).toBeUndefined();
		expect((await provider.requests()).filter(({ path }) => path.includes("/oauth2/"))).toHaveLength(calls);
	}
});

it("gives a client's secret to Microsoft's public authorities alone", () => {
	const client = { tenant: "t/../x", client: "c", secret: "s" };
	const addressFor = (baseUrl: string) => microsoftTokenRequest({ ...client, baseUrl }).url;
	expect(addressFor("https://x.openai.azure.com")).toBe(
		"https://login.microsoftonline.com/t%2F..%2Fx/oauth2/v2.0/token",
	);
	expect(addressFor("https://x.openai.azure.us")).toContain("https://login.microsoftonline.us/");
	expect(addressFor("https://x.openai.azure.cn")).toContain("https://login.partner.microsoftonline.cn/");
	expect(addressFor("https://login.evil.example")).toContain("https://login.microsoftonline.com/");
});

it("tells that an authority knows no such credentials, or is not there, and asks anew the next time", async () => {
	await provider.control({ tokens: { clients: {} } });
	const tokens = new AccessTokens({ microsoft: provider.url });
	for (const count of [1, 2]) {
		const error = await failureOf(list(azure(), tokens));
		expect(error).toMatchObject({ code: "authentication", isPassing: false });
		expect(String(error)).not.toContain("a client's secret");
		expect(await provider.requests()).toHaveLength(count);
	}
	await provider.control({ tokens: { status: 503 } });
	expect(await failureOf(list(azure(), tokens))).toMatchObject({ code: "unreachable", isPassing: true });
});

it("tells what is wrong with a service account that no key is in", async () => {
	const wrong = ["{}", "no JSON", JSON.stringify({ client_email: "a@b", private_key: "secret nonsense" })];
	for (const service_account of wrong) {
		const error = await failureOf(list({ ...vertex(), credentials: { service_account } }));
		expect(error).toMatchObject({ code: "authentication" });
		expect(String(error)).not.toContain("nonsense");
	}
	expect(await provider.requests()).toEqual([]);
});

import { generateKeyPairSync } from "node:crypto";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUserKey, logInAs, startWithAuth } from "./access/accounts.ts";
import { type ModelProvider, PROVIDER_AUTHORITY, startModelProvider } from "./peers/model-provider.ts";
import type { TestServer } from "./server.ts";

const ROBOT = "robot@example.iam.gserviceaccount.com";
const keys = generateKeyPairSync("rsa", {
	modulusLength: 2048,
	publicKeyEncoding: { type: "spki", format: "pem" },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const SERVICE_ACCOUNT = JSON.stringify({
	...{ type: "service_account", client_email: ROBOT, private_key_id: "k1", private_key: keys.privateKey },
	token_uri: "https://thief.example.com/token",
});
const secret = (value: string) => ({ value });

/** How each kind is reached where nobody says otherwise, and what arrives there. */
const KINDS: readonly (readonly [name: string, connection: object, model: string, host: string, path: string])[] = [
	[
		"openai",
		{ kind: "openai", credentials: { api_key: secret("sk-openai") } },
		"gpt-5-mini",
		"api.openai.com",
		"/v1/responses",
	],
	[
		"openai by chat completions",
		{ kind: "openai", api: "chat_completions", credentials: { api_key: secret("sk-openai") } },
		"gpt-5-mini",
		"api.openai.com",
		"/v1/chat/completions",
	],
	[
		"anthropic",
		{ kind: "anthropic", credentials: { api_key: secret("sk-ant") } },
		"claude-next",
		"api.anthropic.com",
		"/v1/messages",
	],
	[
		"google",
		{ kind: "google", credentials: { api_key: secret("AIza") } },
		"gemini-2.5-flash",
		"generativelanguage.googleapis.com",
		"/v1beta/models/gemini-2.5-flash:generateContent",
	],
	[
		"google_vertex",
		{
			kind: "google_vertex",
			settings: { project: "shop", location: "us-central1" },
			credentials: { service_account: secret(SERVICE_ACCOUNT) },
		},
		"gemini-2.5-flash",
		"us-central1-aiplatform.googleapis.com",
		"/v1/projects/shop/locations/us-central1/publishers/google/models/gemini-2.5-flash:generateContent",
	],
	[
		"azure_openai with Entra",
		{
			...{ kind: "azure_openai", api: "chat_completions", base_url: "https://shop.openai.azure.com" },
			settings: { api_version: "2024-10-21" },
			credentials: {
				tenant_id: secret("0b2b4dfa-2b54-4dba-a5cc-b3bdbb6bd4e6"),
				client_id: secret("6f2d5b4e-66a2-4d3a-8d5c-0d3a9a2f1c11"),
				client_secret: secret("entra~secret"),
			},
		},
		"my-deployment",
		"shop.openai.azure.com",
		"/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
	],
	[
		"aws_bedrock",
		{
			...{ kind: "aws_bedrock", settings: { region: "us-east-1" } },
			credentials: { access_key_id: secret("AKIDEXAMPLE"), secret_access_key: secret("bedrock/secret+key") },
		},
		"us.anthropic.claude-next-v1:0",
		"bedrock-runtime.us-east-1.amazonaws.com",
		"/model/us.anthropic.claude-next-v1%3A0/converse",
	],
];

describe("E07 through a proxy with credentials, each kind at its provider's own address", () => {
	let provider: ModelProvider;
	let server: TestServer;
	let client: OpenAI;

	beforeAll(async () => {
		provider = await startModelProvider();
		await provider.control({
			keys: ["sk-openai", "sk-ant", "AIza", "AKIDEXAMPLE:bedrock/secret+key"],
			proxy: { credentials: { user: "user", password: "p@ss" } },
			tokens: {
				serviceAccounts: { [ROBOT]: keys.publicKey },
				clients: {
					"0b2b4dfa-2b54-4dba-a5cc-b3bdbb6bd4e6/6f2d5b4e-66a2-4d3a-8d5c-0d3a9a2f1c11": "entra~secret",
				},
			},
		});
		server = await startWithAuth({
			SERVICE_OUTGOING_PROXY_URL: provider.proxyUrl("user:p%40ss"),
			SERVICE_OUTGOING_CA_CERT_FILE: PROVIDER_AUTHORITY,
			SERVICE_MODEL_CONNECTIONS: JSON.stringify(KINDS.map(([name, connection]) => ({ name, ...connection }))),
		});
		const key = await createUserKey(await logInAs(server, "MEMBER"));
		client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0, logLevel: "off" });
	});
	afterAll(async () => {
		await server[Symbol.asyncDispose]();
		await provider[Symbol.asyncDispose]();
	});

	it("a proxy that does not connect is said to be the proxy", async () => {
		await provider.control({ proxy: { mode: "unavailable" } });
		const call = client.chat.completions.create({
			model: "anthropic:claude-next",
			messages: [{ role: "user", content: "hello there" }],
		});
		await expect(call).rejects.toMatchObject({ status: 502, code: "proxy" });
		await provider.control({ proxy: { mode: "open" } });
	});

	it.each(KINDS)("%s", async (name, _connection, model, host, path) => {
		const { choices } = await client.chat.completions.create({
			model: `${name}:${model}`,
			messages: [{ role: "user", content: "hello there" }],
		});
		expect(choices[0]?.message.content).toBe("You said: hello there");
		expect(await provider.lastRequest()).toMatchObject({ listener: "server", serverName: host, path });
		expect((await provider.connects()).map(({ target }) => target)).toContain(`${host}:443`);
	});

	it("tokens come from the public authorities alone, whatever the service account says", async () => {
		const tokens = (await provider.requests()).filter(({ wire }) => wire === "token");
		expect(tokens.map(({ serverName }) => serverName)).toEqual(["oauth2.googleapis.com", "login.microsoftonline.com"]);
		const targets = (await provider.connects()).map(({ target }) => target);
		expect(targets.filter((target) => target.includes("thief"))).toEqual([]);
	});
});

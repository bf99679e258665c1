import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "#base/config.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { checkModels } from "./models.ts";

const KEY = "sk-planted-0123456789";

let requests = 0;
const provider = createServer((_, response) => {
	requests += 1;
	response.end();
});
let server: TestApp;
let address: string;

beforeAll(async () => {
	await once(provider.listen(0, "127.0.0.1"), "listening");
	address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
	server = await openTestApp();
	const create = (name: string, base_url: string, more: object = {}) =>
		server.call("POST", "/v1/model_connections", { name, kind: "openai_compatible", base_url, ...more });
	await create("here", address);
	await create("nobody", "http://127.0.0.1:1/v1");
	await create("off", address, { enabled: false });
});
afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	provider.close();
});

const AUTHENTICATION = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" };

async function check(environment: Record<string, string> = {}) {
	const sections = await checkModels(readConfig(environment), server.context.db);
	return sections.flatMap(({ steps }) => steps).map(({ name, outcome, text }) => `${name} ${outcome}: ${text}`);
}

it("looks at the way to each connection that is on, and sends nothing", async () => {
	expect(await check()).toEqual([
		"address skipped: off: it is switched off.",
		"address ok: nobody: 127.0.0.1 may be called.",
		expect.stringMatching(/^connect failed: nobody: Nothing listens at the address\. In a container, localhost is/),
		"address ok: here: 127.0.0.1 may be called.",
		expect.stringMatching(/^connect ok: here: Port \d+ of 127\.0\.0\.1 takes connections\.$/),
		expect.stringMatching(/^tls ok: here: The address is plain http/),
	]);
	expect(requests).toBe(0);
});

it("E83 names the connections whose credentials cannot be decrypted with SERVICE_SECRET", async () => {
	await using sealed = await openTestApp({ SERVICE_SECRET: AUTHENTICATION.SERVICE_SECRET });
	const create = async (name: string, more: object) => {
		const body = { name, kind: "openai_compatible", base_url: address, enabled: false, ...more };
		const { status, text } = await sealed.call("POST", "/v1/model_connections", body);
		expect(status, text).toBe(201);
	};
	await create("by key", { credentials: { api_key: { value: KEY } } });
	await create("by header", { headers: { "x-own": KEY } });
	await create("without", {});
	const stepsWith = async (environment: Record<string, string>) => {
		const sections = await checkModels(readConfig(environment), sealed.context.db);
		return sections.flatMap(({ steps }) => steps).filter(({ name }) => name === "secrets");
	};
	const seen = (steps: Awaited<ReturnType<typeof stepsWith>>) => steps.map(({ outcome, text }) => `${outcome} ${text}`);
	expect(seen(await stepsWith({ SERVICE_SECRET: AUTHENTICATION.SERVICE_SECRET }))).toEqual([
		"ok by header: its credentials can be decrypted.",
		"ok by key: its credentials can be decrypted.",
	]);
	const lost = await stepsWith({ SERVICE_SECRET: "another-secret-0123456789-abcdefghijklmn" });
	expect(seen(lost)).toEqual([
		expect.stringMatching(/^failed header:x-own of the model connection by header cannot be read: .*enter it again/),
		expect.stringMatching(/^failed api_key of the model connection by key cannot be read: .*enter it again/),
	]);
	expect(lost[0]?.settings).toEqual(["SERVICE_SECRET", "SERVICE_SECRET_PREVIOUS"]);
	expect(seen(await stepsWith({}))).toEqual([
		expect.stringMatching(/^failed header:x-own .*SERVICE_SECRET is not set/),
		expect.stringMatching(/^failed api_key .*SERVICE_SECRET is not set/),
	]);
	const rotated = { SERVICE_SECRET: "another-secret-0123456789-abcdefghijklmn" };
	const both = await stepsWith({ ...rotated, SERVICE_SECRET_PREVIOUS: AUTHENTICATION.SERVICE_SECRET });
	expect(both.map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
	expect(requests).toBe(0);
});

it("looks at those of the settings, without printing a key", async () => {
	const declared = {
		name: "declared",
		kind: "openai_compatible",
		base_url: "https://10.0.0.1",
		credentials: { api_key: { value: KEY } },
	};
	const settings = {
		SERVICE_MODEL_CONNECTIONS: JSON.stringify([declared]),
		SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1",
	};
	const steps = await check(settings);
	expect(steps.at(-1)).toMatch(
		/^address failed: declared: The address is in a private network\..*SERVICE_OUTGOING_ALLOWED_HOSTS/,
	);
	expect(steps.join()).not.toContain(KEY);
});

it("does not go to what was made without authentication and is not confirmed", async () => {
	expect((await check(AUTHENTICATION)).at(-1)).toMatch(/^address warning: here: .*confirm it in Settings/);
});

it("goes nowhere while calls are off", async () => {
	expect(await check({ SERVICE_ENABLE_MODEL_CALLS: "false" })).toEqual([
		"settings skipped: Calls to models are off: SERVICE_ENABLE_MODEL_CALLS.",
	]);
});

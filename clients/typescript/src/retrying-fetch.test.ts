import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { ConnectionError } from "./api-error.ts";
import { retryingFetch } from "./retrying-fetch.ts";

let stop: (() => void) | undefined;
afterEach(() => stop?.());

async function listen(listener: RequestListener): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	stop = () => {
		server.closeAllConnections();
		server.close();
	};
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	return `http://127.0.0.1:${address.port}/`;
}

const request = retryingFetch(fetch, { attempts: 4, firstWaitMs: 1, longestWaitMs: 5 });

/** Answers with each of the statuses in turn. */
async function serverOf(statuses: number[], headers: Record<string, string> = {}) {
	const keys: (string | undefined)[] = [];
	const url = await listen((message, response) => {
		keys.push(message.headers["idempotency-key"] as string | undefined);
		response.writeHead(statuses[keys.length - 1] ?? 200, headers).end();
	});
	return { url, keys };
}

test.each([429, 502, 503, 504])("asks again after %i", async (status) => {
	const { url, keys } = await serverOf([status, status]);
	expect((await request(url)).status).toBe(200);
	expect(keys).toHaveLength(3);
});

test.each([400, 401, 403, 404, 409, 422, 500, 507])("answers %i at once", async (status) => {
	const { url, keys } = await serverOf([status]);
	expect((await request(url)).status).toBe(status);
	expect(keys).toHaveLength(1);
});

test("every attempt of a POST carries the same key, and each POST another", async () => {
	const { url, keys } = await serverOf([503, 503]);
	await request(url, { method: "POST", body: "{}" });
	await request(url, { method: "POST", body: "{}" });
	expect(new Set(keys.slice(0, 3)).size).toBe(1);
	expect(keys[3]).not.toBe(keys[0]);
	expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test("a key of the caller is left alone, and reading carries none", async () => {
	const { url, keys } = await serverOf([]);
	await request(url, { method: "POST", headers: { "Idempotency-Key": "mine" } });
	await request(url);
	expect(keys).toEqual(["mine", undefined]);
});

test("waits for the first request of the same key", async () => {
	const { url, keys } = await serverOf([409], { "retry-after": "0" });
	expect((await request(url, { method: "POST" })).status).toBe(200);
	expect(keys).toHaveLength(2);
});

test("gives up after the last attempt with what it got", async () => {
	const { url, keys } = await serverOf([503, 503, 503, 503, 200]);
	expect((await request(url)).status).toBe(503);
	expect(keys).toHaveLength(4);
});

test("says what could not be reached and why", async () => {
	const url = await listen(() => undefined);
	stop?.();
	const error = await request(url).catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(ConnectionError);
	expect(String(error)).toMatch(/cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/);
});

test("an abort ends the waiting", async () => {
	const { url } = await serverOf([503], { "retry-after": "60" });
	const controller = new AbortController();
	const answer = request(url, { signal: controller.signal });
	setTimeout(() => controller.abort(), 20);
	await expect(answer).rejects.toMatchObject({ name: "AbortError" });
});

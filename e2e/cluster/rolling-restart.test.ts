import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { findLosses } from "../crash.ts";
import { createLoad } from "../load.ts";
import { Balancer } from "./balancer.ts";
import { HAS_POSTGRES, type Servers, startTwoServers, testOnPostgres as test } from "./servers.ts";

const SENDERS = 4;

let servers: Servers;
beforeAll(async () => {
	if (HAS_POSTGRES) servers = await startTwoServers({ SERVICE_DRAIN_SECONDS: "2" });
});
afterAll(() => servers?.[Symbol.asyncDispose]());

test("restarting one server after the other loses no request behind a balancer that sends nothing twice", {
	timeout: 120_000,
}, async () => {
	const all = [servers.one, servers.two];
	await using balancer = await Balancer.start(all);
	const makeRequest = createLoad();
	const acknowledged = new Set<string>();
	const failed: string[] = [];
	let sequence = 0;
	let isOver = false;

	async function send(): Promise<void> {
		while (!isOver) {
			const { body, spanKeys } = makeRequest(sequence++);
			const headers = { "content-type": "application/x-protobuf" };
			const response = await fetch(`${balancer.url}/v1/traces`, { method: "POST", headers, body: Buffer.from(body) });
			const answer = await response.text();
			if (response.status === 200 && answer === "") for (const key of spanKeys) acknowledged.add(key);
			else failed.push(`${response.status} ${answer}`);
			const read = await fetch(`${balancer.url}/v1/projects`);
			if (read.status !== 200) failed.push(`${read.status} ${await read.text()}`);
			else await read.arrayBuffer();
			await sleep(50);
		}
	}

	const senders = Array.from({ length: SENDERS }, send);
	for (const server of all) {
		const before = acknowledged.size;
		await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(before);
		expect(await server.stop()).toBe(0);
		await server.start();
		await expect.poll(() => balancer.ready, { timeout: 20_000 }).toBe(2);
	}
	isOver = true;
	await Promise.all(senders);
	expect(failed).toEqual([]);
	expect(await findLosses(servers.one, acknowledged)).toEqual([]);
});

test("a server that is about to stop says so, and goes on answering meanwhile", async () => {
	const { one, two } = servers;
	const stopped = one.stop();
	await expect.poll(async () => (await fetch(`${one.url}/readyz`)).status).toBe(503);
	const answer = await fetch(`${one.url}/v1/projects`);
	expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
	expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
	expect((await fetch(`${two.url}/readyz`)).status).toBe(200);
	expect(await stopped).toBe(0);
});

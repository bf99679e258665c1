import { once } from "node:events";
import { expect, test } from "vitest";
import { CrashLoad, findLosses } from "./crash.ts";
import { createLoad } from "./load.ts";
import { createTestServer, startServer } from "./server.ts";

const ROUNDS = 5;

test("kill -9 during full load loses no acknowledged span, doubles none, and leaves every total right", {
	timeout: 1_800_000,
}, async () => {
	await using server = await startServer();
	const load = new CrashLoad();
	for (let round = 0; round < ROUNDS; round++) await load.crash(server, Math.random() * 1_000);
	expect(load.acknowledged.size).toBeGreaterThan(0);
	expect(await findLosses(server, load.acknowledged)).toEqual([]);
});

test("SIGTERM answers what has been received and ends with 0", async () => {
	await using server = await startServer();
	const makeRequest = createLoad();
	const headers = { "content-type": "application/x-protobuf" };
	const answers = Array.from({ length: 8 }, (_, sequence) =>
		server.fetch("/v1/traces", { method: "POST", headers, body: Buffer.from(makeRequest(sequence).body) }),
	);
	await Promise.race(answers);
	expect(await server.stop()).toBe(0);
	const sent = await Promise.allSettled(answers);
	const acknowledged = sent.flatMap((answer, sequence) =>
		answer.status === "fulfilled" && answer.value.status === 200 ? makeRequest(sequence).spanKeys : [],
	);
	await server.start();
	expect(acknowledged.length).toBeGreaterThan(0);
	expect(await findLosses(server, new Set(acknowledged))).toEqual([]);
});

test("a second server on the same folder refuses to start and says why", async () => {
	await using first = await startServer();
	await using second = await createTestServer({ workingDir: first.workingDir });
	const [code] = await once(second.spawn(), "close");
	expect(code).not.toBe(0);
	expect(second.output).toContain(first.workingDir);
	expect(second.output.split("\n").filter((line) => line.includes("    at "))).toEqual([]);
	expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

import { once } from "node:events";
import { expect, test } from "vitest";
import { AccessChanges } from "./access/access-changes.ts";
import { WITH_ACCOUNTS } from "./access/accounts.ts";
import { freshStorage, testOnPostgres } from "./cluster/servers.ts";
import { CrashLoad, crashWhileGrouping, findLosses, findMiscountedFailures } from "./crash.ts";
import { createLoad } from "./load.ts";
import { createTestServer, type ServerOptions, startServer, type TestServer } from "./server.ts";
import { spanward } from "./spanward-command.ts";

const ROUNDS = 3;
/** Crashes under changes of access: 20 are what is promised, fewer show the same. */
const ACCESS_ROUNDS = Number(process.env["E2E_ACCESS_CRASHES"] ?? "4");

test("W48 W89 kill -9 during full load, and while failures are grouped, loses no acknowledged span, doubles none, and leaves every total right", {
	timeout: 1_800_000,
}, async () => {
	await using server = await startServer({ env: { SERVICE_ENABLE_PROMETHEUS: "true" }, authentication: false });
	const load = new CrashLoad();
	for (let round = 0; round < ROUNDS; round++) await load.crash(server, Math.random() * 1_000);
	await crashWhileGrouping(server);
	expect(load.acknowledged.size).toBeGreaterThan(0);
	expect(await findLosses(server, load.acknowledged)).toEqual([]);
	expect(await findMiscountedFailures(server)).toEqual([]);
	expect(await spanward(["verify"], { env: settingsOf(server, undefined) })).toMatchObject({ code: 0 });
});

test("R78 R30 kill -9 under changes of access leaves each whole or not made, and a key that works", async () => {
	await changeUnderCrashes(ACCESS_ROUNDS);
});

testOnPostgres("R78 R30 the same on PostgreSQL", async () => {
	await using storage = await freshStorage();
	await changeUnderCrashes(ACCESS_ROUNDS / 2, storage);
});

async function changeUnderCrashes(rounds: number, storage?: ServerOptions["storage"]): Promise<void> {
	const at = storage === undefined ? {} : { storage };
	await using server = await startServer({ ...at, env: WITH_ACCOUNTS, authentication: false });
	const changes = await AccessChanges.create(server);
	for (let round = 0; round < rounds; round++) {
		await changes.crash(Math.random() * 150);
		expect(await changes.findLosses()).toEqual([]);
	}
	expect(await changes.findWrongEntries(rounds)).toEqual([]);
	expect(await spanward(["verify"], { env: settingsOf(server, storage) })).toMatchObject({ code: 0 });
}

function settingsOf({ workingDir }: TestServer, storage: ServerOptions["storage"]): Record<string, string> {
	if (storage === undefined) return { SERVICE_WORKING_DIR: workingDir };
	return { SERVICE_SQL_DATABASE_URL: storage.url, SERVICE_SQL_DATABASE_SCHEMA: storage.schema };
}

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

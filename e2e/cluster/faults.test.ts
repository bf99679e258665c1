import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect } from "vitest";
import { settingsOfAddress } from "../../apps/server/src/command-line/postgres-address.ts";
import { checkIntegrity } from "../../apps/server/src/storage/traces/postgres/check-integrity.ts";
import { createSystemKey, WITH_ACCOUNTS } from "../access/accounts.ts";
import { findLosses } from "../crash.ts";
import { type PostgresOptions, startPostgres } from "../peers/postgres.ts";
import type { TestServer } from "../server.ts";
import { Link } from "./link.ts";
import { ALIVE, ENDED, Rights, UNKNOWN } from "./rights.ts";
import { type Servers, startTwoServers, testOnPostgres as test } from "./servers.ts";
import { SteadyLoad } from "./steady-load.ts";

/** How long the network is cut: 30 is what is promised, fewer show the same. */
const CUT_SECONDS = Number(process.env["E2E_CUT_SECONDS"] ?? "5");

/** A PostgreSQL that writes through to the disk, as it does where a crash must lose nothing. */
const durable = (options: PostgresOptions = {}) => startPostgres({ ...options, settings: { fsync: "on" } });

/** Servers that ask for credentials; loads and readers have a key. */
async function startServers(url: string, ways?: Parameters<typeof startTwoServers>[2], env = {}): Promise<Servers> {
	const servers = await startTwoServers({ ...WITH_ACCOUNTS, ...env }, url, ways);
	const key = await createSystemKey(servers.one);
	for (const server of [servers.one, servers.two]) server.useKey(key);
	return servers;
}

/** So many rights that both servers have just let pass, and so have in memory. */
async function createKnownRights({ one, two }: Servers, count: number): Promise<Rights[]> {
	const rights = await Promise.all(Array.from({ length: count }, () => Rights.create(one)));
	for (const each of rights) {
		for (const server of [one, two]) expect(await each.statuses(server)).toEqual(ALIVE);
	}
	return rights;
}

async function expectEnded({ one, two }: Servers, rights: readonly Rights[]): Promise<void> {
	for (const each of rights) {
		for (const server of [one, two]) expect(await each.statuses(server)).toEqual(ENDED);
	}
}

async function statusOf(server: TestServer, path: string): Promise<number> {
	return (await fetch(server.url + path, { signal: AbortSignal.timeout(20_000) })).status;
}

/** What is wrong with what is stored: nothing, whatever happened before. */
async function damage({ one, storage }: Servers, load: SteadyLoad): Promise<string[]> {
	return [
		...load.complaints,
		...(await findLosses(one, load.acknowledged)),
		...(await checkIntegrity(settingsOfAddress(storage.url, storage.schema, {}))),
	];
}

test("kill -9 of a server, of the database and of both during load loses nothing and revives no right", {
	timeout: 1_800_000,
}, async () => {
	await using postgres = await durable();
	await using servers = await startServers(postgres.url);
	const { one, two } = servers;
	const rights = await createKnownRights(servers, 3);
	const [endedByTwo, endedBeforeDatabase, endedBeforeBoth] = rights as [Rights, Rights, Rights];
	await using load = new SteadyLoad([one, two]);
	await load.untilStored(8);

	await endedByTwo.end(two);
	await two.kill();
	await load.untilStored(4);
	await expect.poll(() => endedByTwo.statuses(one)).toEqual(ENDED);
	await two.start();
	await load.untilStored(4);

	await endedBeforeDatabase.end(one);
	await postgres.kill();
	for (const server of [one, two]) {
		await expect.poll(() => statusOf(server, "/readyz")).toBe(503);
		expect(await statusOf(server, "/healthz")).toBe(200);
		expect(await endedBeforeDatabase.statuses(server)).toEqual(UNKNOWN);
	}
	await load.untilRefused(5);
	await postgres.start();
	for (const server of [one, two]) {
		await expect.poll(() => statusOf(server, "/readyz")).toBe(200);
	}
	await load.untilStored(8);

	await endedBeforeBoth.end(one);
	// A server waits for its database for 20 s, and there is little to recover after a checkpoint.
	await servers.sql("checkpoint");
	await Promise.all([postgres.kill(), one.kill()]);
	// As whoever starts them together does: a server waits for its database.
	await Promise.all([one.start(), postgres.start()]);
	await load.untilStored(8);
	await load.stop();
	expect(await damage(servers, load)).toEqual([]);
	await expectEnded(servers, rights);

	await postgres.kill();
	expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0]);
});

test("a network that is cut between one server and the database stops nothing else, and no dead session lives after it", {
	timeout: 1_800_000,
}, async () => {
	await using postgres = await durable();
	await using link = await Link.open(postgres.port);
	await using servers = await startServers(postgres.url, { two: link.through(postgres.url) });
	const { one, two } = servers;
	const rights = await createKnownRights(servers, 2);
	const [endedBefore, endedMeanwhile] = rights as [Rights, Rights];
	await using load = new SteadyLoad([one, two]);
	await load.untilStored(8);

	await endedBefore.end(one);
	link.cut();
	await expect.poll(() => statusOf(two, "/readyz")).toBe(503);
	await endedMeanwhile.end(one);
	const until = performance.now() + CUT_SECONDS * 1_000;
	while (performance.now() < until) {
		expect(await statusOf(two, "/healthz")).toBe(200);
		expect(await statusOf(one, "/readyz")).toBe(200);
		// Waiting for the database would not end while the link is cut.
		for (const each of rights) expect(await each.statuses(two)).toEqual(UNKNOWN);
		await sleep(500);
	}
	await load.untilRefused(5);
	await load.untilStored(4); // by the other one
	link.mend();
	await expect.poll(() => statusOf(two, "/readyz")).toBe(200);
	await expectEnded(servers, rights);
	await load.untilStored(8);
	await load.stop();
	expect(await damage(servers, load)).toEqual([]);
});

test("a database that takes too long is answered with 503, nothing hangs, and who is not known is not let in", {
	timeout: 1_200_000,
}, async () => {
	await using postgres = await durable();
	await using link = await Link.open(postgres.port);
	const ways = { two: link.through(postgres.url) };
	await using servers = await startServers(postgres.url, ways, { SERVICE_DATABASE_STATEMENT_TIMEOUT_SECONDS: "2" });
	const { one, two } = servers;
	const [ended] = (await createKnownRights(servers, 1)) as [Rights];
	await using load = new SteadyLoad([one, two]);
	await load.untilStored(4);
	await ended.end(one);
	const { url, schema } = servers.storage;
	const holder = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
	await holder.connect();
	await holder.query("begin; lock table traces, api_keys, login_sessions");
	await load.untilRefused(1);
	await expect.poll(() => ended.statuses(two)).toEqual(UNKNOWN);
	await holder.end();
	await load.untilStored(4);

	link.slow(50);
	await load.untilStored(4);
	link.slow(1_500);
	await expect.poll(() => statusOf(two, "/readyz")).toBe(503);
	expect(await ended.statuses(two)).toEqual(UNKNOWN);
	await load.untilStored(4); // by the other one
	link.slow(0);
	await expect.poll(() => statusOf(two, "/readyz")).toBe(200);
	await load.untilStored(4);
	await load.stop();
	expect(await damage(servers, load)).toEqual([]);
	await expectEnded(servers, [ended]);
});

test("a full disk under the database refuses what comes, loses nothing, and passes when there is room", {
	timeout: 1_200_000,
}, async ({ skip }) => {
	const folder = mountSmallDisk();
	if (folder === undefined) return skip("a small disk can be mounted by root only");
	try {
		await using postgres = await durable({ folder });
		await using servers = await startServers(postgres.url);
		const rights = await createKnownRights(servers, 1);
		await using load = new SteadyLoad([servers.one, servers.two]);
		await load.untilStored(4);
		for (const each of rights) await each.end(servers.two);
		const ballast = join(folder, "ballast");
		await fill(ballast);
		await load.untilRefused(3);
		await rm(ballast);
		if (!(await postgres.isReady())) await postgres.start();
		await load.untilStored(8);
		await load.stop();
		expect(await damage(servers, load)).toEqual([]);
		await expectEnded(servers, rights);
	} finally {
		execFileSync("/usr/bin/umount", ["-l", folder]);
		rmSync(folder, { recursive: true, force: true });
	}
});

/** Undefined where this user may not. */
function mountSmallDisk(): string | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const folder = mkdtempSync(join(tmpdir(), "spanward-small-disk-"));
	try {
		execFileSync("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=400m,mode=0700", "tmpfs", folder], { stdio: "ignore" });
		return folder;
	} catch {
		process.stderr.write("\nskipped: no file system may be mounted here\n");
		rmSync(folder, { recursive: true });
		return undefined;
	}
}

async function fill(path: string): Promise<void> {
	const block = Buffer.alloc(1_048_576);
	try {
		for (;;) await writeFile(path, block, { flag: "a" });
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
	}
}

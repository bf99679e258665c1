import { once } from "node:events";
import { expect } from "vitest";
import { settingsOfAddress } from "../../apps/server/src/command-line/postgres-address.ts";
import { checkIntegrity } from "../../apps/server/src/storage/traces/postgres/check-integrity.ts";
import { createSystemKey, WITH_ACCOUNTS } from "../access/accounts.ts";
import { findLosses } from "../crash.ts";
import { createTestServer } from "../server.ts";
import { makeNextRelease } from "./next-release.ts";
import { ALIVE, ENDED, Rights } from "./rights.ts";
import { SMALL, startTwoServers, testOnPostgres as test } from "./servers.ts";
import { SteadyLoad } from "./steady-load.ts";

test("servers go on beside one of the next release, which changes the schema under their load", {
	timeout: 1_800_000,
}, async () => {
	await using release = await makeNextRelease();
	await using servers = await startTwoServers(WITH_ACCOUNTS);
	const { one: old, two: replaced, storage } = servers;
	const { program } = release;
	await using next = await createTestServer({
		...{ program, storage, authentication: false },
		env: { ...SMALL, ...WITH_ACCOUNTS },
	});
	const key = await createSystemKey(old);
	for (const server of [old, replaced, next]) server.useKey(key);
	const [endedByOld, endedByNext] = [await Rights.create(old), await Rights.create(old)];
	await using load = new SteadyLoad([old, replaced, next]);
	await load.untilStored(8);

	await next.start();
	expect(await servers.sql("select max(version) from schema_version")).toBe(String(release.version));
	expect(await replaced.stop()).toBe(0);
	await load.untilStored(8);
	for (const rights of [endedByOld, endedByNext]) {
		for (const server of [old, next]) expect(await rights.statuses(server)).toEqual(ALIVE);
	}
	await endedByOld.end(old);
	await endedByNext.end(next);
	await load.untilStored(8);
	for (const rights of [endedByOld, endedByNext]) {
		for (const server of [old, next]) await expect.poll(() => rights.statuses(server)).toEqual(ENDED);
	}
	await load.stop();
	expect(load.complaints).toEqual([]);
	for (const server of [old, next]) expect(await findLosses(server, load.acknowledged)).toEqual([]);
	expect(await checkIntegrity(settingsOfAddress(storage.url, storage.schema, {}))).toEqual([]);
	expect(old.output.split("\n").filter((line) => /"level":[56]0/.test(line))).toEqual([]);

	const [code] = await once(replaced.spawn(), "exit");
	expect([code, replaced.output]).toEqual([1, expect.stringContaining("start the newer Spanward")]);
});

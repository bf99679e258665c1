import { setTimeout as sleep } from "node:timers/promises";
import type { KyselyPlugin } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "#storage/database.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { Principals } from "./principals.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
});
afterAll(() => server[Symbol.asyncDispose]());

const sent = (authorization: string) => ({ headers: { authorization }, rawHeaders: ["authorization", authorization] });

test("a read that began before a change is not remembered", async () => {
	const { auth, db } = server.context;
	for (let count = 0; count < 20; count++) {
		const { headers, rowId } = await server.signedIn("MEMBER", "key");
		const reading = auth.principals.authenticate(sent(headers.authorization), "127.0.0.1");
		const deleted = db.write((transaction) => transaction.deleteFrom("api_keys").where("id", "=", rowId).execute());
		await deleted;
		auth.principals.invalidate();
		const after = auth.principals.authenticate(sent(headers.authorization), "127.0.0.1");
		expect(await after).toEqual({ refused: "invalid" });
		await reading;
		expect(await auth.principals.authenticate(sent(headers.authorization), "127.0.0.1")).toEqual({
			refused: "invalid",
		});
	}
});

test("a request does not rely on a read that began long before it and is still under way", async () => {
	const { headers, rowId } = await server.signedIn("MEMBER", "key");
	const { auth, config, db, now } = server.context;
	const answer = Promise.withResolvers<void>();
	let reads = 0;
	// As over a network that stalls while the first answer is on its way.
	const stalling: KyselyPlugin = {
		transformQuery: ({ node }) => node,
		async transformResult({ result }) {
			reads += 1;
			if (reads === 1) await answer.promise;
			return result;
		},
	};
	const stalled: Database = {
		isShared: db.isShared,
		read: db.read.withPlugin(stalling),
		write: (work) => db.write(work),
		check: () => db.check(),
		[Symbol.asyncDispose]: async () => undefined,
	};
	const parts = { ...auth, config, now, db: stalled };
	await using principals = new Principals({ ...parts, onError: (error) => expect(error).toBeUndefined() });
	const first = principals.authenticate(sent(headers.authorization), "127.0.0.1");
	await expect.poll(() => reads).toBe(1);
	// As another process does it.
	await db.write((transaction) => transaction.deleteFrom("api_keys").where("id", "=", rowId).execute());
	await sleep(2_000);
	expect(await principals.authenticate(sent(headers.authorization), "127.0.0.1")).toEqual({ refused: "invalid" });
	answer.resolve();
	expect(await first).toMatchObject({ principal: { kind: "user_key" } });
	expect(await principals.authenticate(sent(headers.authorization), "127.0.0.1")).toEqual({ refused: "invalid" });
});

test("many requests at once with one key are admitted, each as the same principal", async () => {
	const { headers, userId } = await server.signedIn("VIEWER", "key");
	const { principals } = server.context.auth;
	const all = await Promise.all(
		Array.from({ length: 100 }, () => principals.authenticate(sent(headers.authorization), "127.0.0.1")),
	);
	for (const found of all) expect(found).toMatchObject({ principal: { kind: "user_key", user: { id: userId } } });
});

test("a user key with the prefix of a system key, or the reverse, is invalid", async () => {
	const { headers } = await server.signedIn("MEMBER", "key");
	const { principals } = server.context.auth;
	const other = headers.authorization.replace("sw_u_", "sw_s_");
	expect(await principals.authenticate(sent(other), "127.0.0.1")).toEqual({ refused: "invalid" });
});

import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { claimKey, deleteKeys } from "./queries.ts";
import { HELD_FOR, RunningClaims } from "./running-claims.ts";

const off = await openTestApp();
const on = await openTestApp({ SERVICE_ENABLE_AUTH: "true", ...TEST_SECRETS });
afterAll(async () => {
	await off[Symbol.asyncDispose]();
	await on[Symbol.asyncDispose]();
});

const withKey = (key: string) => ({ "idempotency-key": key });
const create = (name: string, headers: Record<string, string>, app = off) =>
	app.call("POST", "/v1/projects", { name }, headers);

test("a repeated request gets the first answer and does nothing", async () => {
	const key = withKey(randomUUID());
	const first = await create("once", key);
	const again = await create("once", key);
	expect(first.status).toBe(200);
	expect(first.headers["idempotent-replayed"]).toBeUndefined();
	expect(again).toMatchObject({ status: 200, text: first.text, headers: { "idempotent-replayed": "true" } });
	expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
	expect((await create("once", withKey(randomUUID()))).status).toBe(409);
});

test("one key with two requests is refused, and the first is kept", async () => {
	const key = withKey(randomUUID());
	const first = await create("a project", key);
	expect(await create("another", key)).toMatchObject({ status: 422, text: expect.stringContaining("another request") });
	expect((await create("a project", key)).text).toBe(first.text);
	expect((await off.get("/v1/projects/another")).status).toBe(404);
});

test("of the same request sent many times at once, only one is processed", async () => {
	const key = withKey(randomUUID());
	const answers = await Promise.all(Array.from({ length: 10 }, () => create("at once", key)));
	const statuses = answers.map(({ status }) => status);
	expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
	expect(answers.filter(({ status, headers }) => status === 200 && !headers["idempotent-replayed"])).toHaveLength(1);
	const [waited] = answers.filter(({ status }) => status === 409);
	if (waited !== undefined) expect(waited.headers["retry-after"]).toBe("1");
});

test("a failed request may be retried with its key", async () => {
	const key = withKey(randomUUID());
	await create("taken", {});
	expect((await create("taken", key)).status).toBe(409);
	const { json } = await off.get("/v1/projects/taken");
	await off.call("DELETE", `/v1/projects/${json.data.id}`);
	expect((await create("taken", key)).status).toBe(200);
});

test.each(["", " ", "x".repeat(256), "sp ace", "ümlaut"])("the key %j is refused", async (key) => {
	expect((await create(`named ${key.length}`, withKey(key))).status).toBe(422);
});

test("callers do not see each other's answers", async () => {
	const [one, two] = [await on.signedIn("MEMBER"), await on.signedIn("MEMBER", "key")];
	const key = withKey("the-same");
	const first = await create("of one", { ...one.headers, ...key }, on);
	const other = await create("of two", { ...two.headers, ...key }, on);
	expect([first.status, other.status]).toEqual([200, 200]);
	expect(other.headers["idempotent-replayed"]).toBeUndefined();
	expect(other.json.data.name).toBe("of two");
});

test("R35 a key of the same user does not get the answer to a session, nor another key's", async () => {
	const session = await on.signedIn("MEMBER");
	const makeKey = async (name: string) => {
		const { json } = await on.call("POST", "/v1/user/api_keys", { data: { name } }, session.headers);
		return { authorization: `Bearer ${json.data.key}` };
	};
	const askers = [session.headers, await makeKey("one"), await makeKey("another")];
	const key = withKey(randomUUID());
	const statuses = [];
	for (const headers of askers) statuses.push((await create("of a user", { ...headers, ...key }, on)).status);
	expect(statuses).toEqual([200, 409, 409]);
});

test("who may not change anything any more gets no stored answer", async () => {
	const { headers, userId } = await on.signedIn("MEMBER");
	const sent = { ...headers, ...withKey(randomUUID()) };
	expect((await create("before", sent, on)).status).toBe(200);
	// As another process does it, of which this one hears within a second.
	await on.context.db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", userId).execute(),
	);
	expect(await create("before", sent, on)).toMatchObject({ status: 403, text: expect.not.stringContaining("before") });
});

test("nothing is stored of requests that contain a password", async () => {
	const admin = await on.signedIn("ADMIN");
	const user = {
		auth_method: "LOCAL",
		email: "a@example.com",
		username: "a",
		role: "VIEWER",
		password: "Abcdefgh12345",
	};
	const headers = { ...admin.headers, ...withKey(randomUUID()) };
	expect((await on.call("POST", "/v1/users", { user, send_welcome_email: false }, headers)).status).toBe(201);
	expect((await on.call("POST", "/v1/users", { user, send_welcome_email: false }, headers)).status).toBe(409);
});

test.runIf(off.context.db.isShared)("of a server that was killed, a request is processed again", async () => {
	const { db } = off.context;
	const claim = { caller: "user 1", key: randomUUID() };
	const began = off.context.now();
	let now = began;
	const claimAfter = (micros: number) => {
		now = began + micros;
		return claimKey(db, { ...claim, requestHash: Buffer.from("hash"), now, startedAt: now - HELD_FOR });
	};
	expect(await claimAfter(0)).toBeUndefined();
	await expect(claimAfter(HELD_FOR)).rejects.toMatchObject({ code: "request_in_progress" });
	using running = new RunningClaims({ db, now: () => now, onError: (error) => expect.unreachable(String(error)) });
	running.add(claim);
	await running.renew();
	await expect(claimAfter(2 * HELD_FOR)).rejects.toMatchObject({ code: "request_in_progress" });
	running.delete(claim);
	await running.renew();
	expect(await claimAfter(2 * HELD_FOR + 1)).toBeUndefined();
});

test("stored answers expire", async () => {
	const { db, now } = off.context;
	const key = withKey(randomUUID());
	await create("forgotten", key);
	while ((await deleteKeys(db, now() + 1_000_000, 2)) > 0);
	expect((await create("forgotten", key)).status).toBe(409);
});

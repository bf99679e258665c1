import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import type { Mail } from "../mail/mailer.ts";
import { UserMails } from "../mail/user-mails.ts";
import { notifyOfExpiringKeysOnce } from "./expiring.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: TestApp;
let admin: TestPrincipal;
let member: TestPrincipal;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_PROMETHEUS: "true" });
	admin = await server.signedIn("ADMIN");
	member = await server.signedIn("MEMBER");
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
	await server.context.db.write(async (transaction) => {
		await transaction.deleteFrom("api_keys").execute();
		await transaction.deleteFrom("state").where("name", "=", "expiring_api_keys").execute();
	});
});

/** Makes a key as its page does. @param lastsMs undefined for one without end */
async function makeKey(by: TestPrincipal, name: string, lastsMs?: number, path = "/v1/user/api_keys"): Promise<void> {
	const end = lastsMs === undefined ? {} : { expires_at: new Date(Date.now() + lastsMs).toISOString() };
	const { status } = await server.call("POST", path, { data: { name, ...end } }, by.headers);
	expect(status).toBe(201);
}

/** Who gets a mail about which keys, `laterMs` from now: addresses with the names of keys. */
async function toldAt(laterMs: number): Promise<Record<string, string[]>> {
	const { context } = server;
	const mails: Mail[] = [];
	const mailer = {
		isConfigured: true,
		send: (mail: Mail) => void mails.push(mail),
		deliver: async () => undefined,
		[Symbol.asyncDispose]: async () => undefined,
	};
	const userMails = new UserMails(context.config, mailer, context.log);
	const now = () => context.now() + laterMs * 1_000;
	await notifyOfExpiringKeysOnce({ ...context, auth: { ...context.auth, userMails }, now });
	return Object.fromEntries(
		mails.map(({ to, text }) => [to, [...text.matchAll(/UTC: (.*) \(sw_/g)].map(([, name = ""]) => name)]),
	);
}

test("owner and admins are notified once within the last 14 days, and once more on the last day", async () => {
	await makeKey(member, "of a quarter", 90 * DAY);
	await makeKey(member, "for ever");
	expect(await toldAt(75 * DAY)).toEqual({});
	expect(await toldAt(77 * DAY)).toEqual({ [member.email]: ["of a quarter"], [admin.email]: ["of a quarter"] });
	expect(await toldAt(78 * DAY)).toEqual({});
	expect(await toldAt(89 * DAY + HOUR)).toEqual({ [member.email]: ["of a quarter"], [admin.email]: ["of a quarter"] });
	expect(await toldAt(89 * DAY + 2 * HOUR)).toEqual({});
	expect(await toldAt(91 * DAY)).toEqual({});
});

test("a server that was away sends one notice for all that it missed", async () => {
	await makeKey(member, "of a quarter", 90 * DAY);
	expect(Object.keys(await toldAt(89 * DAY + HOUR))).toHaveLength(2);
	expect(await toldAt(89 * DAY + 2 * HOUR)).toEqual({});
});

test("a key that was made for a short time leads to a notice on its last day, or to none", async () => {
	await makeKey(member, "a week", 7 * DAY);
	await makeKey(member, "an hour", HOUR);
	expect(await toldAt(0)).toEqual({});
	expect(await toldAt(6 * DAY + HOUR)).toMatchObject({ [member.email]: ["a week"] });
});

test("R34 a key in use that ends in six days leads to one mail, whichever server sends it", async () => {
	const week = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "a week", expires_at: new Date(Date.now() + 6 * DAY).toISOString() } },
		member.headers,
	);
	const headers = { authorization: `Bearer ${week.json.data.key}` };
	expect(await toldAt(0)).toEqual({});
	await server.get("/v1/projects", headers);
	const path = `/v1/user/api_keys/${week.json.data.id}`;
	await expect.poll(async () => (await server.get(path, member.headers)).json.data.last_used_at).toBeDefined();
	const told = await Promise.all([toldAt(0), toldAt(0)]);
	expect(told.flatMap((mails) => Object.keys(mails).filter((to) => to === member.email))).toHaveLength(1);
	expect(await toldAt(HOUR)).toEqual({});
	const notices = await server.context.db.read
		.selectFrom("audit_events")
		.select("target_name")
		.where("action", "=", "api_key.expired_notice")
		.orderBy("id", "desc")
		.execute();
	expect(notices[0]).toEqual({ target_name: "a week" });
});

test("a mail to an admin lists all keys that end, one to a member only their own; a key of the system belongs to its maker", async () => {
	await makeKey(member, "one", 20 * DAY);
	await makeKey(member, "two\r\nBcc: x@example.com".replace(/\r\n/, " "), 21 * DAY);
	await makeKey(admin, "of the system", 22 * DAY, "/v1/system/api_keys");
	expect(await toldAt(10 * DAY)).toEqual({
		[member.email]: ["one", "two Bcc: x@example.com"],
		[admin.email]: ["one", "two Bcc: x@example.com", "of the system"],
	});
});

test("a deleted key is forgotten", async () => {
	await makeKey(member, "of a month", 30 * DAY);
	await toldAt(20 * DAY);
	await server.context.db.write((transaction) => transaction.deleteFrom("api_keys").execute());
	await toldAt(21 * DAY);
	const row = await server.context.db.read
		.selectFrom("state")
		.select("value")
		.where("name", "=", "expiring_api_keys")
		.executeTakeFirst();
	expect(row?.value).toBe("{}");
});

test("the metrics count keys by their end", async () => {
	await makeKey(member, "soon", 13 * DAY);
	await makeKey(member, "later", 15 * DAY);
	await makeKey(member, "never");
	await makeKey(admin, "never", undefined, "/v1/system/api_keys");
	const text = await server.context.metrics.text();
	expect(text).toContain('spanward_api_keys{kind="user",state="ending_soon"} 1');
	expect(text).toContain('spanward_api_keys{kind="user",state="lasting"} 2');
	expect(text).toContain('spanward_api_keys{kind="user",state="ended"} 0');
	expect(text).toContain('spanward_api_keys{kind="system",state="lasting"} 1');
	expect(text).not.toMatch(/^spanward_api_keys_expire_within_seconds /m);
	await server.context.db.write((transaction) =>
		transaction
			.updateTable("api_keys")
			.set({ last_used_at: server.context.now() })
			.where("name", "=", "later")
			.execute(),
	);
	const [, seconds] =
		/^spanward_api_keys_expire_within_seconds (\S+)$/m.exec(await server.context.metrics.text()) ?? [];
	expect(Math.round(Number(seconds) / 3_600)).toBe(15 * 24);
});

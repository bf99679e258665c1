import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Config, readConfig } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { openTestStorage, type TestStorage } from "#test-storage.ts";
import { AuditLog } from "../audit.ts";
import { deriveSigningKeys } from "../signing-keys.ts";
import { endSessions, Sessions, type TokenPair } from "./sessions.ts";
import { Tokens } from "./tokens.ts";

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const START = 1_800_000_000 * SECOND;
const SECRET = "test-secret-0123456789-abcdefghijklmnop";
const OTHER_SECRET = "next-secret-0123456789-abcdefghijklmnop";
const FROM = { ip: "192.0.2.1", id: "request", headers: { "user-agent": "test" } };

let storage: TestStorage;
let userId: number;
const clock = { now: START };
const now = () => clock.now;

beforeAll(async () => {
	storage = await openTestStorage();
	userId = await insertUser("ana", "MEMBER");
});
beforeEach(async () => {
	clock.now = START;
	await storage.db.write((transaction) => endSessions(transaction, userId));
});
afterAll(async () => {
	await storage[Symbol.asyncDispose]();
});

describe("a spent refresh token", () => {
	test("fetches the same pair again until 10 seconds have passed, then ends the session", async () => {
		const { open, refresh } = createSessions();
		const first = await open();
		const second = await refresh(first);
		clock.now += 10 * SECOND - 1;
		expect(await refresh(first)).toEqual(second);
		clock.now += 1;
		expect(await refresh(first)).toBe("invalid_token");
		expect(await refresh(second)).toBe("invalid_token");
		expect(await audited("session.reuse")).toBe(1);
	});

	test("has no grace once the access token that replaced its own was presented", async () => {
		const { open, refresh, sessions, tokens } = createSessions();
		const first = await open();
		const second = await refresh(first);
		if (typeof second === "string") throw new Error(second);
		const claims = await tokens.verify("access", second.access.token);
		if (typeof claims === "string") throw new Error(claims);
		await sessions.notePresented(await onlySessionId(), claims.jti);
		expect(await refresh(first)).toBe("invalid_token");
		expect(await refresh(second)).toBe("invalid_token");
	});

	test("keeps its grace when only the access token before was presented", async () => {
		const { open, refresh, sessions, tokens } = createSessions();
		const first = await open();
		const second = await refresh(first);
		const claims = await tokens.verify("access", first.access.token);
		if (typeof claims === "string") throw new Error(claims);
		await sessions.notePresented(await onlySessionId(), claims.jti);
		expect(await refresh(first)).toEqual(second);
	});

	test("has no grace once the refresh token that replaced it was used", async () => {
		const { open, refresh } = createSessions();
		const first = await open();
		const third = await refresh(await refresh(first));
		expect(await refresh(first)).toBe("invalid_token");
		expect(await refresh(third)).toBe("invalid_token");
	});

	test("has no grace after the session was renewed for a new password", async () => {
		const { open, refresh, sessions } = createSessions();
		const first = await open();
		const id = await onlySessionId();
		await storage.db.write((transaction) => sessions.renew(transaction, id));
		expect(await refresh(first)).toBe("invalid_token");
	});

	test("ends nothing after the session was renewed: somebody else who has it must not log the owner out", async () => {
		const { open, refresh, sessions } = createSessions();
		const first = await open();
		const id = await onlySessionId();
		const renewed = await storage.db.write((transaction) => sessions.renew(transaction, id));
		expect(renewed).toMatchObject({ created_at: START, user_id: userId });
		expect(await refresh(first)).toBe("invalid_token");
		expect(await refresh(await sessions.pairOf(renewed))).toBeTypeOf("object");
	});
});

describe("the life of a session", () => {
	test("ends at the end of the refresh token, on the microsecond", async () => {
		const { open, refresh } = createSessions({ SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: "20" });
		const first = await open();
		expect(first.refresh.expiresAt).toBe(START + 20 * MINUTE);
		expect(first.access.expiresAt).toBe(START + 10 * MINUTE);
		clock.now = START + 20 * MINUTE - 1;
		const second = await refresh(first);
		clock.now = START + 40 * MINUTE - 1;
		expect(await refresh(second)).toBe("expired_token");
		expect(await storage.db.read.selectFrom("login_sessions").select("id").execute()).toEqual([]);
	});

	test("ends after 30 days however often it is refreshed", async () => {
		const { open, refresh } = createSessions();
		let pair: TokenPair | string = await open();
		for (let day = 6; day < 30; day += 6) {
			clock.now = START + day * DAY;
			pair = await refresh(pair);
		}
		if (typeof pair === "string") throw new Error(pair);
		expect(pair.refresh.expiresAt).toBe(START + 30 * DAY);
		clock.now = START + 30 * DAY - MINUTE;
		const last = await refresh(pair);
		if (typeof last === "string") throw new Error(last);
		expect(last.access.expiresAt).toBe(START + 30 * DAY);
		clock.now = START + 30 * DAY;
		expect(await refresh(last)).toBe("expired_token");
	});

	test("is as long as a refresh token that lives longer than 30 days", async () => {
		const { open } = createSessions({ SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: String(60 * 24 * 90) });
		expect((await open()).refresh.expiresAt).toBe(START + 90 * DAY);
	});

	test("is as long as SERVICE_SESSION_MAX_DAYS says", async () => {
		const { open } = createSessions({ SERVICE_SESSION_MAX_DAYS: "1" });
		expect((await open()).refresh.expiresAt).toBe(START + DAY);
	});

	test("is shortened by a start with shorter lives, and not made longer by one with longer ones", async () => {
		const { open, tokens } = createSessions();
		const pair = await open();
		await createSessions({ SERVICE_SESSION_MAX_DAYS: "300" }).sessions.applyLives();
		expect(await ends()).toEqual([START + 10 * MINUTE, START + 7 * DAY, START + 30 * DAY]);
		await createSessions({ SERVICE_SESSION_MAX_DAYS: "2" }).sessions.applyLives();
		expect(await ends()).toEqual([START + 10 * MINUTE, START + 2 * DAY, START + 2 * DAY]);
		const short = createSessions({
			SERVICE_ACCESS_TOKEN_EXPIRY_MINUTES: "1",
			SERVICE_REFRESH_TOKEN_EXPIRY_MINUTES: "20",
		});
		await short.sessions.applyLives();
		expect(await ends()).toEqual([START + MINUTE, START + 20 * MINUTE, START + 2 * DAY]);
		clock.now = START + 20 * MINUTE;
		expect(await tokens.verify("refresh", pair.refresh.token)).toBeTypeOf("object");
		expect(await short.refresh(pair)).toBe("expired_token");
	});

	test("leaves no dead row behind when somebody logs in", async () => {
		const { open } = createSessions();
		await open();
		clock.now += 7 * DAY;
		await open();
		expect(await storage.db.read.selectFrom("login_sessions").select("created_at").execute()).toEqual([
			{ created_at: START + 7 * DAY },
		]);
	});
});

test("a session refreshes 12 times at once, then every 5 seconds; being refused changes nothing", async () => {
	const { open, refresh } = createSessions();
	let pair: TokenPair | string = await open();
	for (let time = 1; time <= 12; time++) pair = await refresh(pair);
	expect(await refresh(pair)).toBe("too_many_requests");
	clock.now += 5 * SECOND;
	pair = await refresh(pair);
	expect(pair).toBeTypeOf("object");
	expect(await refresh(pair)).toBe("too_many_requests");
});

describe("the gate", () => {
	test("admits nobody with the role of the system", async () => {
		const { sessions } = createSessions();
		const system = await insertUser("machine", "SYSTEM");
		const opening = storage.db.write((transaction) => sessions.open(transaction, system, "LOCAL", FROM));
		await expect(opening).rejects.toMatchObject({ status: 403, code: "log_in_refused" });
	});

	test("admits nobody by a method other than the account's", async () => {
		const { sessions } = createSessions();
		const opening = storage.db.write((transaction) => sessions.open(transaction, userId, "OAUTH2", FROM));
		await expect(opening).rejects.toMatchObject({ status: 403, code: "log_in_refused" });
	});

	test("admits no password while passwords are off, and ends the sessions that passwords opened", async () => {
		const { open, refresh } = createSessions();
		const pair = await open();
		const without = createSessions({}, { SERVICE_DISABLE_BASIC_AUTH: true });
		await expect(without.open()).rejects.toMatchObject({ status: 403, code: "basic_auth_disabled" });
		await without.sessions.endRefused();
		expect(await refresh(pair)).toBe("invalid_token");
	});

	test("refreshes no session that was opened while passwords were on", async () => {
		const pair = await createSessions().open();
		const without = createSessions({}, { SERVICE_DISABLE_BASIC_AUTH: true });
		expect(await without.refresh(pair)).toBe("invalid_token");
		expect(await createSessions().refresh(pair)).toBe("invalid_token");
	});
});

describe("after SERVICE_SECRET was replaced", () => {
	test("tokens of the former secret count while SERVICE_SECRET_PREVIOUS names it", async () => {
		const pair = await createSessions().open();
		const { refresh } = createSessions({ SERVICE_SECRET: OTHER_SECRET, SERVICE_SECRET_PREVIOUS: SECRET });
		const next = await refresh(pair);
		expect(next).toBeTypeOf("object");
		expect(await createSessions({ SERVICE_SECRET: OTHER_SECRET }).refresh(next)).toBeTypeOf("object");
	});

	test("they count no longer when it is not named", async () => {
		const pair = await createSessions().open();
		expect(await createSessions({ SERVICE_SECRET: OTHER_SECRET }).refresh(pair)).toBe("invalid_token");
	});
});

test("a token of another issuer does not count", async () => {
	const pair = await createSessions({ SERVICE_ROOT_URL: "https://a.example" }).open();
	expect(await createSessions({ SERVICE_ROOT_URL: "https://b.example" }).refresh(pair)).toBe("invalid_token");
});

/** Sessions as a process of its own has them: nothing but the database is shared. */
function createSessions(settings: Readonly<Record<string, string>> = {}, overrides: Partial<Config> = {}) {
	const config = { ...readConfig({ SERVICE_SECRET: SECRET, ...settings }), ...overrides };
	const db = storage.dbOfAnother();
	const tokens = new Tokens(config, deriveSigningKeys(config), now);
	const sessions = new Sessions({ config, db, tokens, audit: new AuditLog(db, now), now });
	return {
		sessions,
		tokens,
		async open(): Promise<TokenPair> {
			return sessions.pairOf(await db.write((transaction) => sessions.open(transaction, userId, "LOCAL", FROM)));
		},
		/** The next pair, or the code of the refusal. */
		async refresh(pair: TokenPair | string): Promise<TokenPair | string> {
			if (typeof pair === "string") throw new Error(`there is no pair but ${pair}`);
			try {
				return await sessions.refresh({ token: pair.refresh.token }, FROM, () => undefined);
			} catch (error) {
				if (error instanceof UserError) return error.code;
				throw error;
			}
		},
	};
}

async function onlySessionId(): Promise<number> {
	const { id } = await storage.db.read.selectFrom("login_sessions").select("id").executeTakeFirstOrThrow();
	return id;
}

/** When the access token, the refresh token and the session end, as the row says. */
async function ends(): Promise<number[]> {
	const row = await storage.db.read.selectFrom("login_sessions").selectAll().executeTakeFirstOrThrow();
	return [row.access_expires_at, row.refresh_expires_at, row.expires_at];
}

async function audited(action: string): Promise<number> {
	const rows = await storage.db.read.selectFrom("audit_events").select("id").where("action", "=", action).execute();
	return rows.length;
}

async function insertUser(username: string, role: "MEMBER" | "SYSTEM"): Promise<number> {
	const { id } = await storage.db.write((transaction) =>
		transaction
			.insertInto("users")
			.values({
				username,
				username_key: username,
				email: `${username}@example.com`,
				role,
				auth_method: "LOCAL",
				password_hash: "$argon2id$",
				password_due: 0,
				password_replaced: 1,
				created_at: START,
				updated_at: START,
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return id;
}

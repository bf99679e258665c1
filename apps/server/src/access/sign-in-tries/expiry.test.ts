import { expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { expireSignIns } from "./expiry.ts";
import { storeTry } from "./tries.ts";

const REPORT = { method: "LDAP", provider: null, code: null, steps: [], claims: { email: "ana@example.com" } } as const;
const MINUTE = 60_000_000;

test("what is kept of a sign-in is gone after its time, also when nobody signs in any more", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { context } = server;
	const { db } = context;
	const start = context.now();
	const { id: userId } = await db.read.selectFrom("users").select("id").limit(1).executeTakeFirstOrThrow();
	await storeTry(context, userId, REPORT);
	await db.write((transaction) =>
		transaction
			.insertInto("spent_sign_ins")
			.values({ id: "state", expires_at: start + 10 * MINUTE })
			.execute(),
	);
	const left = async () => [
		...(await db.read.selectFrom("sign_in_tries").select("id").execute()),
		...(await db.read.selectFrom("spent_sign_ins").select("id").execute()),
	];
	let now = start;
	await using _expiry = expireSignIns({ ...context, now: () => now }, 20);
	await expect.poll(left).toHaveLength(2);
	now += 11 * MINUTE;
	await expect.poll(left).toHaveLength(0);
});

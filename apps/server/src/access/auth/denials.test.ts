import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";
import { AuditLog } from "./audit.ts";
import { Denials } from "./denials.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
afterAll(() => server[Symbol.asyncDispose]());
const REQUEST = { id: "1", ip: "192.0.2.1", headers: {} };

test("the log says when refused calls are left out, and the next entry how many", async () => {
	const { userId } = await server.signedIn("VIEWER", "key");
	const user = { id: userId, username: "v", email: null, role: "VIEWER", authMethod: "LOCAL" } as const;
	const principal = { kind: "user_key", user, keyId: 1, expiresAt: null, limits: {} } as const;
	let now = 60_000_000;
	const lines: string[] = [];
	const log = pino({}, { write: (line) => lines.push(line) });
	const denials = new Denials(new AuditLog(server.context.db, () => now), log, () => now);
	const deny = (route: string) => denials.record(principal, route, "forbidden", REQUEST);
	for (let route = 0; route < 205; route++) await deny(`GET /${route}`);
	await deny("GET /0");
	const entries = () =>
		server.context.db.read
			.selectFrom("audit_events")
			.select(["target_name", "details"])
			.where("action", "=", "access.denied")
			.orderBy("id")
			.execute();
	expect(await entries()).toHaveLength(200);
	expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["further refused calls are not recorded"]);
	now += 60_000_000;
	await deny("GET /next");
	expect((await entries()).at(-1)).toEqual({ target_name: "GET /next", details: '{"left_out":5}' });
	await deny("GET /last");
	expect((await entries()).at(-1)?.details).toBeNull();
	expect(lines).toHaveLength(1);
});

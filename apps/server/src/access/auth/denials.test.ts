import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
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
	const denials = new Denials({
		audit: new AuditLog(server.context.db, () => now),
		db: server.context.db,
		log,
		now: () => now,
	});
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

test("what is hidden and asked for by id or name is counted, and recorded after the answer", async () => {
	const { db, metrics } = server.context;
	const [admin, member] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	const trace = { trace_id: "d".repeat(32), span_id: "d".repeat(16) };
	const times = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
	const span = { name: "step", context: trace, span_kind: "LLM", ...times, status_code: "OK" };
	await server.call("POST", "/v1/projects", { name: "payments" }, admin.headers);
	await server.call("POST", "/v1/projects/payments/spans", { data: [span] }, admin.headers);
	const changed = await server.call("PATCH", "/v1/projects/payments/access", { access: "restricted" }, admin.headers);
	expect(changed.status, changed.text).toBe(200);
	const { id } = await db.read
		.selectFrom("projects")
		.select("id")
		.where("name", "=", "payments")
		.executeTakeFirstOrThrow();
	const hidden = async () => {
		const [, count = "0"] = /^spanward_access_denied_total\{reason="hidden"\} (\d+)$/m.exec(await metrics.text()) ?? [];
		return Number(count);
	};
	const recorded = async () =>
		await db.read
			.selectFrom("audit_events")
			.select(["actor_id", "target_type", "target_id", "target_name", "details"])
			.where("action", "=", "access.denied")
			.where("code", "=", "hidden")
			.orderBy("id")
			.execute();
	const ask = async (url: string) => (await server.get(url, member.headers)).status;
	const remove = async (id: string) =>
		(await server.call("DELETE", `/v1/traces/${id}`, undefined, member.headers)).status;

	expect(await ask("/v1/projects/default")).toBe(200);
	expect(await ask("/v1/projects/none")).toBe(404);
	expect(await remove("e".repeat(32))).toBe(404);
	expect(await ask("/v1/projects?limit=1000")).toBe(200);
	expect(await hidden()).toBe(0);

	for (const identifier of ["payments", encodeGlobalId("Project", id)])
		expect(await ask(`/v1/projects/${identifier}`)).toBe(404);
	expect(await remove(trace.trace_id)).toBe(404);
	await expect.poll(hidden, { timeout: 20_000 }).toBe(3);
	const entry = { actor_id: member.userId, target_type: "project", target_id: id, target_name: "payments" };
	await expect.poll(recorded, { timeout: 20_000 }).toEqual([
		{ ...entry, details: JSON.stringify({ route: "GET /v1/projects/:project_identifier", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "DELETE /v1/traces/:trace_identifier", homes: 1 }) },
	]);
});

test("hidden things that are asked for by the thousand make few entries, which closing writes", async () => {
	const { userId } = await server.signedIn("VIEWER", "key");
	const user = { id: userId, username: "walker", email: null, role: "VIEWER", authMethod: "LOCAL" } as const;
	const principal = { kind: "user_key", user, keyId: 1, expiresAt: null, limits: {} } as const;
	const { db } = server.context;
	const lines: string[] = [];
	const log = pino({}, { write: (line) => lines.push(line) });
	const now = () => 60_000_000;
	const denials = new Denials({ audit: new AuditLog(db, now), db, log, now });
	for (let route = 0; route < 300; route++) {
		for (let home = 1; home <= 10; home++) denials.noteHidden(principal, `GET /${route}`, new Set([home]), REQUEST);
	}
	denials.noteHidden(principal, "GET /seen", new Set(), REQUEST);
	await denials[Symbol.asyncDispose]();
	const written = await db.read
		.selectFrom("audit_events")
		.select((select) => select.fn.countAll<number>().as("entries"))
		.where("actor_id", "=", userId)
		.executeTakeFirstOrThrow();
	expect(Number(written.entries)).toBe(200);
	expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["further requests for hidden things are not recorded"]);
	expect(denials.counts.get("hidden")).toBe(3_000);
});

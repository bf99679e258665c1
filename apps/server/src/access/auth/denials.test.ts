import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { UserError } from "#base/errors.ts";
import { HIDDEN } from "#http/actor.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp } from "#test-app.ts";
import { awayFromEndOf, MINUTE_MS } from "#test-clock.ts";
import { noteRightsChange } from "../rights/change-rights.ts";
import { AuditLog } from "./audit.ts";
import { Denials } from "./denials.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_PROMETHEUS: "true" });
afterAll(() => server[Symbol.asyncDispose]());
const REQUEST = { id: "1", ip: "192.0.2.1", headers: {} };

/** How many calls this server denied for a reason. */
async function countOf(reason: string): Promise<number> {
	const line = new RegExp(`^spanward_access_denied_total\\{reason="${reason}"\\} (\\d+)$`, "m");
	const [, count = "0"] = line.exec(await server.context.metrics.text()) ?? [];
	return Number(count);
}

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
	const deny = (route: string) => denials.record(principal, route, new UserError(403, "admin_only", "no"), REQUEST);
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
	const { db } = server.context;
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
	const hidden = () => countOf("hidden");
	const recorded = async () =>
		await db.read
			.selectFrom("audit_events")
			.select(["actor_id", "target_type", "target_id", "target_name", "details"])
			.where("action", "=", "access.denied")
			.where("code", "=", "hidden")
			.orderBy("id")
			.execute();
	const ask = async (url: string) => (await server.get(url, member.headers)).status;
	const removeAt = async (url: string) => (await server.call("DELETE", url, undefined, member.headers)).status;
	const remove = (id: string) => removeAt(`/v1/traces/${id}`);

	expect(await ask("/v1/projects/default")).toBe(200);
	expect(await ask("/v1/projects/none")).toBe(404);
	expect(await remove("e".repeat(32))).toBe(404);
	expect(await ask("/v1/projects?limit=1000")).toBe(200);
	expect(await hidden()).toBe(0);

	// One entry a minute of each kind: both are to be in the same one.
	await awayFromEndOf(MINUTE_MS, 10_000);
	for (const identifier of ["payments", encodeGlobalId("Project", id)])
		expect(await ask(`/v1/projects/${identifier}`)).toBe(404);
	expect(await remove(trace.trace_id)).toBe(404);
	const note = { name: "quality", annotator_kind: "HUMAN", span_id: trace.span_id, result: { label: "good" } };
	const annotated = await server.call("POST", "/v1/span_annotations", { data: [note] }, member.headers);
	expect([annotated.status, annotated.json]).toEqual([200, { data: [] }]);
	const limited = { name: "k", permissions: ["read"], projects: ["none", "payments"] };
	const refused = await server.call("POST", "/v1/user/api_keys", { data: limited }, member.headers);
	expect(refused.status, refused.text).toBe(422);
	const key = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { ...limited, projects: ["payments"] } },
		member.headers,
	);
	expect(key.status, key.text).toBe(422);
	const batch = { projects: ["default", "payments"], change: { access: "open" } };
	const answered = await server.call("POST", "/v1/access/batch", batch, member.headers);
	expect(answered.status, answered.text).toBe(200);
	const late = { data: [{ ...note, span_id: "e".repeat(16) }] };
	await server.call("POST", "/v1/span_annotations?project=payments", late, admin.headers);
	const [waiting] = (await server.get("/v1/waiting_annotations", admin.headers)).json.data;
	expect(await removeAt(`/v1/waiting_annotations/${waiting.id}`)).toBe(404);
	await expect.poll(hidden).toBe(7);
	// Who asks for something, and looks whether this number grows, would learn what exists.
	const series = 'spanward_access_denied_total{reason="hidden"}';
	expect((await server.get("/metrics", member.headers)).text).not.toContain(series);
	expect((await server.get("/metrics", admin.headers)).text).toContain(`${series} 7`);
	const entry = { actor_id: member.userId, target_type: "project", target_id: id, target_name: "payments" };
	await expect.poll(recorded).toEqual([
		{ ...entry, details: JSON.stringify({ route: "GET /v1/projects/:project_identifier", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "DELETE /v1/traces/:trace_identifier", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "POST /v1/span_annotations", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "POST /v1/user/api_keys", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "POST /v1/access/batch", homes: 1 }) },
		{ ...entry, details: JSON.stringify({ route: "DELETE /v1/waiting_annotations/:waiting_annotation_id", homes: 1 }) },
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
		for (let home = 1; home <= 10; home++)
			denials.note({ principal, denied: new Set([HIDDEN]), hidden: new Set([home]) }, `GET /${route}`, REQUEST);
	}
	denials.note({ principal, denied: new Set([HIDDEN]), hidden: new Set() }, "GET /seen", REQUEST);
	denials.note({ principal, denied: new Set(), hidden: new Set([1]) }, "GET /links", REQUEST);
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

test("a role that is too low is counted and recorded, whenever in a call it is noticed", async () => {
	const { auth, db } = server.context;
	const [admin, member] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	await server.call("POST", "/v1/projects", { name: "ledger" }, admin.headers);
	const { id } = await db.read
		.selectFrom("projects")
		.select("id")
		.where("name", "=", "ledger")
		.executeTakeFirstOrThrow();
	const before = await countOf("project_role_needed");
	const upload = (name: string) =>
		server.call(
			"POST",
			"/v1/datasets/upload?sync=true",
			{ name, project: "ledger", inputs: [{ q: 1 }] },
			member.headers,
		);
	// The upload was admitted when it waits for the write lock that is held here.
	const lost = await db.write(async (transaction) => {
		const answer = upload("late");
		await new Promise((resolve) => setTimeout(resolve, 200));
		const grant = { project_id: id, user_id: member.userId, team_id: null, role: "viewer" as const };
		await transaction
			.insertInto("grants")
			.values({ ...grant, created_at: 0, created_by: null })
			.execute();
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", id).execute();
		await noteRightsChange(transaction);
		return { answer };
	});
	expect((await lost.answer).status).toBe(403);
	auth.rights.invalidate();
	expect((await upload("later")).status).toBe(403);
	await expect.poll(() => countOf("project_role_needed")).toBe(before + 2);
	const entries = async () =>
		await db.read
			.selectFrom("audit_events")
			.select(["target_type", "target_name", "code"])
			.where("action", "=", "access.denied")
			.where("actor_id", "=", member.userId)
			.execute();
	// A minute may have begun between them.
	await expect
		.poll(async () => (await entries())[0])
		.toEqual({ target_type: "route", target_name: "POST /v1/datasets/upload", code: "project_role_needed" });

	const limited = { name: "k", permissions: ["read"], projects: ["default"] };
	const { json } = await server.call("POST", "/v1/user/api_keys", { data: limited }, member.headers);
	const whole = await server.get("/v1/model_prices", { authorization: `Bearer ${json.data.key}` });
	expect(whole.status, whole.text).toBe(403);
	await expect.poll(() => countOf("key_limited")).toBe(1);
});

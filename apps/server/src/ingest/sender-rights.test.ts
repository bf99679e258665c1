import { promisify } from "node:util";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { encodeTraceResponse } from "@spanward/otlp";
import type { Transaction } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import { createAuthorize } from "#access/auth/authorize.ts";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { senderOf } from "#access/rights/sender-rights.ts";
import type { Authorize } from "#http/access-policy.ts";
import type { KeyHomes } from "#http/principal.ts";
import type { Access, ProjectRole, Tables } from "#storage/schema.ts";
import { openTestApp } from "../test-app.ts";
import { authorizeExports } from "./authorize-exports.ts";
import { listenGrpc } from "./receive-grpc.ts";
import { encodeSpans, makeSpan } from "./test-receiver.ts";

/** To which the key of the member is limited, over HTTP. */
let homes: KeyHomes | undefined;
const authorize: Authorize = async (request, access) => {
	const principal = await createAuthorize(auth)(request, access);
	return principal.kind === "user_key" && homes !== undefined ? { ...principal, limits: { homes } } : principal;
};
const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" }, { authorize });
const { auth, db, ingest, config, log } = server.context;
const grpc = await listenGrpc({
	...{ config: { ...config, SERVICE_GRPC_PORT: 0 }, host: "127.0.0.1", ingest, log },
	authorize: authorizeExports(auth, actIn(server.context)),
});
const client = new Client(`127.0.0.1:${grpc.port}`, credentials.createInsecure());
const admin = await server.signedIn("ADMIN");
const member = await server.signedIn("MEMBER", "key");
const system = await server.signedIn("SYSTEM");
afterAll(async () => {
	client.close();
	await grpc[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
	homes = undefined;
	await setPolicy({ default_project_access: null, members_create_projects: null });
	await change(async (transaction) => {
		await transaction.updateTable("access_policy").set({ open_role_of_members: null }).execute();
		await transaction.deleteFrom("access_rules").execute();
		await transaction.updateTable("users").set({ role: "MEMBER" }).where("id", "=", member.userId).execute();
	});
	auth.principals.invalidate();
});

let made = 0;

/** A new project, made by the system. */
async function makeProject(access: Access): Promise<{ id: number; name: string }> {
	made += 1;
	const name = `${access}-${made}`;
	expect((await server.call("POST", "/v1/projects", { name }, system.headers)).status).toBe(200);
	await change((transaction) => transaction.updateTable("projects").set({ access }).where("name", "=", name).execute());
	const { id } = await db.read.selectFrom("projects").select("id").where("name", "=", name).executeTakeFirstOrThrow();
	return { id, name };
}

async function setPolicy(policy: {
	default_project_access: Access | null;
	members_create_projects: 0 | null;
}): Promise<void> {
	await change((transaction) => transaction.updateTable("access_policy").set(policy).execute());
}

/** A change of rights in this process. */
async function change(work: (transaction: Transaction<Tables>) => Promise<unknown>): Promise<void> {
	await db.write(async (transaction) => {
		await noteRightsChange(transaction);
		await work(transaction);
	});
	auth.rights.invalidate();
}

async function grant(projectId: number, userId: number, role: ProjectRole): Promise<void> {
	await change((transaction) =>
		transaction.insertInto("grants").values({ project_id: projectId, user_id: userId, role, created_at: 1 }).execute(),
	);
}

function resourceSpans(project: string | undefined, count = 1) {
	const attributes =
		project === undefined ? [] : [{ key: "openinference.project.name", value: { stringValue: project } }];
	const spans = Array.from({ length: count }, () => {
		const { traceId, spanId, name } = makeSpan();
		return { traceId, spanId, name, startTimeUnixNano: "1700000000000000001", endTimeUnixNano: "1700000001000000002" };
	});
	return { resource: { attributes }, scopeSpans: [{ scope: { name: "test" }, spans }] };
}

/** Sends spans of these projects in one export over HTTP. */
async function send(names: readonly (string | undefined)[], headers: Record<string, string> = member.headers) {
	const payload = { resourceSpans: names.map((name) => resourceSpans(name)) };
	const type = { "content-type": "application/json" };
	return await server.call("POST", "/v1/traces", payload, { ...type, ...headers });
}

async function spansOf(name: string): Promise<number> {
	const { json, status } = await server.get(`/v1/projects/${encodeURIComponent(name)}/spans`, admin.headers);
	return status === 404 ? -1 : json.data.length;
}

/** Status and code of the answer to the member who creates a project. */
async function codeOfCreating(name: string): Promise<[number, string]> {
	const headers = { ...member.headers, accept: "application/problem+json" };
	const { status, json } = await server.call("POST", "/v1/projects", { name }, headers);
	return [status, json.code];
}

async function findAccess(name: string) {
	return await db.read
		.selectFrom("projects")
		.leftJoin("grants", "grants.project_id", "projects.id")
		.select(["access", "user_id", "role"])
		.where("name", "=", name)
		.execute();
}

test("R09 of an export for two projects what the sender may write is stored, the rest rejected by name and counted", async () => {
	const [open, restricted] = [await makeProject("open"), await makeProject("restricted")];
	const before = ingest.health();
	const { status, json } = await send([open.name, restricted.name, restricted.name]);
	expect(status).toBe(200);
	expect(json.partialSuccess).toEqual({
		rejectedSpans: "2",
		errorMessage: `Sending to "${restricted.name}" needs the role editor there: ask a manager of the project, or an admin.`,
	});
	const all = await send([restricted.name]);
	expect(all.status).toBe(403);
	expect(all.json).toMatchObject({ code: 7, message: expect.stringContaining(`"${restricted.name}"`) });
	expect([await spansOf(open.name), await spansOf(restricted.name)]).toEqual([1, 0]);
	const { rejectedSpans, refusedRequests, lastError } = ingest.health();
	expect((rejectedSpans["no_access"] ?? 0) - (before.rejectedSpans["no_access"] ?? 0)).toBe(3);
	expect((refusedRequests["no_access"] ?? 0) - (before.refusedRequests["no_access"] ?? 0)).toBe(1);
	expect(lastError?.message).not.toContain(restricted.name);
	await grant(restricted.id, member.userId, "annotator");
	expect((await send([restricted.name])).status).toBe(403);
	for (const { headers } of [admin, system]) expect((await send([restricted.name], headers)).status).toBe(200);
	await change((transaction) => transaction.updateTable("grants").set({ role: "editor" }).execute());
	expect((await send([restricted.name])).json).toEqual({});
});

test("R09 the same over gRPC", async () => {
	const [open, restricted] = [await makeProject("open"), await makeProject("restricted")];
	const call = (names: readonly string[]) => {
		const metadata = new Metadata();
		metadata.set("authorization", member.headers.authorization);
		const attribute = (value: string) => [
			{ key: "openinference.project.name", value: { type: "string" as const, value } },
		];
		// Messages of protobuf that follow one another are one.
		const body = Buffer.concat(names.map((name) => encodeSpans([makeSpan()], attribute(name))));
		const path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
		const identity = (bytes: Buffer) => bytes;
		return promisify((done: (error: ServiceError | null, answer?: Buffer) => void) =>
			client.makeUnaryRequest(path, identity, identity, body, metadata, done),
		)();
	};
	const errorMessage = `Sending to "${restricted.name}" needs the role editor there: ask a manager of the project, or an admin.`;
	expect(await call([open.name, restricted.name])).toEqual(
		Buffer.from(encodeTraceResponse({ rejectedSpans: 1, errorMessage })),
	);
	await expect(call([restricted.name])).rejects.toMatchObject({
		code: 7,
		details: expect.stringContaining(`"${restricted.name}"`),
	});
	expect([await spansOf(open.name), await spansOf(restricted.name)]).toEqual([1, 0]);
});

test("log records for a project that the sender may not write are rejected, too", async () => {
	const restricted = await makeProject("restricted");
	const record = (traceId: string) => ({
		...{ traceId, spanId: "1".repeat(16), timeUnixNano: "1700000000000000001" },
		...{ eventName: "gen_ai.user.message", body: { stringValue: "hello" } },
	});
	const logs = (project: string) => ({
		resource: { attributes: [{ key: "openinference.project.name", value: { stringValue: project } }] },
		scopeLogs: [{ scope: { name: "test" }, logRecords: [record("a".repeat(32))] }],
	});
	const type = { "content-type": "application/json", ...member.headers };
	const some = await server.call("POST", "/v1/logs", { resourceLogs: [logs("default"), logs(restricted.name)] }, type);
	expect(some.json.partialSuccess.rejectedLogRecords).toBe("1");
	expect((await server.call("POST", "/v1/logs", { resourceLogs: [logs(restricted.name)] }, type)).status).toBe(403);
});

test("R10 who may make no projects has spans for new names rejected, and cannot create one", async () => {
	const open = await makeProject("open");
	await setPolicy({ default_project_access: null, members_create_projects: 0 });
	const { json } = await send([open.name, "new of member"]);
	expect(json.partialSuccess).toEqual({
		rejectedSpans: "1",
		errorMessage:
			'Sending to "new of member" needs the role editor there, and members may not create projects: ask a manager of the project, or an admin.',
	});
	expect(await codeOfCreating("new of member")).toEqual([403, "members_create_no_projects"]);
	expect(await spansOf("new of member")).toBe(-1);
	for (const [name, { headers }] of [
		["new of admin", admin],
		["new of system", system],
	] as const)
		expect((await send([name], headers)).json).toEqual({});
});

test("R16 R17 a first span makes a project with the access of policy and rules, and its sender manager", async () => {
	await setPolicy({ default_project_access: "restricted", members_create_projects: null });
	await change((transaction) =>
		transaction
			.insertInto("access_rules")
			.values({ pattern: "shared-*", access_of_new: "open", description: null, created_at: 1, updated_at: 1 })
			.execute(),
	);
	expect((await send(["first", "shared-first"])).json).toEqual({});
	const manager = { user_id: member.userId, role: "manager" };
	expect(await findAccess("first")).toEqual([{ access: "restricted", ...manager }]);
	expect(await findAccess("shared-first")).toEqual([{ access: "open", ...manager }]);
	// At once, and for nobody else.
	expect((await send(["first"])).json).toEqual({});
	const other = await server.signedIn("MEMBER", "key");
	expect((await send(["first"], other.headers)).status).toBe(403);
	expect((await send(["by system"], system.headers)).json).toEqual({});
	expect(await findAccess("by system")).toEqual([{ access: "restricted", user_id: null, role: null }]);
	expect((await send(["by system"])).status).toBe(403);
	expect((await server.call("POST", "/v1/projects", { name: "posted" }, member.headers)).status).toBe(200);
	expect(await findAccess("posted")).toEqual([{ access: "restricted", ...manager }]);
	expect((await server.get("/v1/projects/posted", member.headers)).status).toBe(200);
	expect((await server.get("/v1/projects/posted", other.headers)).status).toBe(404);
	expect((await findAccess("default"))[0]).toMatchObject({ access: "open" });
});

test("R16 a rule lets a team send to what fits, now and later, as long as it is there", async () => {
	await setPolicy({ default_project_access: "restricted", members_create_projects: null });
	await change(async (transaction) => {
		const times = { created_at: 1, updated_at: 1 };
		const team = { name: "Payments", name_key: "payments", description: null, source: "manual" as const };
		const [{ id: teamId }, { id: ruleId }] = [
			await transaction
				.insertInto("teams")
				.values({ ...team, ...times, external_groups: "[]" })
				.returning("id")
				.executeTakeFirstOrThrow(),
			await transaction
				.insertInto("access_rules")
				.values({ pattern: "pay-*", access_of_new: null, description: null, ...times })
				.returning("id")
				.executeTakeFirstOrThrow(),
		];
		const members = { team_id: teamId, user_id: member.userId, source: "manual", created_at: 1 };
		await transaction.insertInto("team_members").values(members).execute();
		const granted = { rule_id: ruleId, team_id: teamId, user_id: null, role: "editor" as const };
		await transaction.insertInto("access_rule_grants").values(granted).execute();
	});
	const names = ["pay-api", "pay", "xpay-1"];
	expect((await send(names, system.headers)).json).toEqual({});
	const { json } = await send(names);
	expect(json.partialSuccess).toMatchObject({
		rejectedSpans: "2",
		errorMessage: expect.stringMatching(/^Sending to "pay", "xpay-1" needs/),
	});
	await change((transaction) => transaction.deleteFrom("access_rules").execute());
	expect((await send(["pay-api"])).status).toBe(403);
});

test("members who only read open projects send to none of them, and to those that they make", async () => {
	const open = await makeProject("open");
	await change((transaction) =>
		transaction.updateTable("access_policy").set({ open_role_of_members: "viewer" }).execute(),
	);
	expect((await send([open.name, "own of reader"])).json.partialSuccess).toMatchObject({ rejectedSpans: "1" });
	expect((await send(["own of reader"])).json).toEqual({});
	expect([await spansOf(open.name), await spansOf("own of reader")]).toEqual([0, 2]);
});

test("R33 spans that name no project go to the only one of a key, and to no other", async () => {
	const [own, other] = [await makeProject("open"), await makeProject("open")];
	homes = { projectIds: new Set([own.id]), library: false };
	expect((await send([undefined])).json).toEqual({});
	const mixed = await send([own.name, other.name, "new of key"]);
	expect(mixed.json.partialSuccess).toEqual({
		rejectedSpans: "2",
		errorMessage: `Sending to "${other.name}", "new of key" needs a key that is not limited to other projects, whose owner has the role editor there.`,
	});
	expect(await codeOfCreating("new of key")).toEqual([403, "key_limited"]);
	expect([await spansOf(own.name), await spansOf(other.name), await spansOf("new of key")]).toEqual([2, 0, -1]);
	homes = { projectIds: new Set([own.id, other.id]), library: false };
	expect((await send([undefined])).status).toBe(403);
	expect((await send([own.name, other.name])).json).toEqual({});
	expect((await server.get("/v1/ingest/health", member.headers)).status).toBe(403);
});

test("R10 spans that are created over REST make no project either", async () => {
	const at = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
	const span = { name: "made", span_kind: "CHAIN", status_code: "OK", ...at };
	const create = async (name: string, digit: string) => {
		const context = { trace_id: digit.repeat(32), span_id: digit.repeat(16) };
		const body = { data: [{ ...span, context }] };
		return (await server.call("POST", `/v1/projects/${name}/spans`, body, member.headers)).status;
	};
	await setPolicy({ default_project_access: null, members_create_projects: 0 });
	expect(await create("refused over REST", "a")).toBe(403);
	await setPolicy({ default_project_access: null, members_create_projects: null });
	expect(await create("made over REST", "b")).toBe(202);
	expect([await spansOf("refused over REST"), await spansOf("made over REST")]).toEqual([-1, 1]);
});

test("an export is looked at again when it is written: its sender has lost the role, or the project was hidden", async () => {
	const open = await makeProject("open");
	const body = () => encodeSpans([makeSpan()]);
	const request = { signal: "traces", format: "protobuf", encoding: "identity", projectName: open.name } as const;
	const sent = { headers: member.headers, rawHeaders: Object.entries(member.headers).flat() };
	const admitted = await auth.principals.authenticate(sent, "127.0.0.1");
	if ("refused" in admitted) throw new Error("the key was refused");
	const actor = await actIn(server.context)(admitted.principal, "ingest", "editor");
	const sender = await senderOf(actor, auth.rights);
	expect(await ingest.submit({ ...request, body: body(), sender })).toMatchObject({ status: 200, accepted: 1 });
	await change((transaction) =>
		transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", open.id).execute(),
	);
	expect(await ingest.submit({ ...request, body: body(), sender })).toMatchObject({
		...{ status: 403, reason: "no_access", rejected: 1 },
		message: expect.stringContaining(`"${open.name}"`),
	});
	await grant(open.id, member.userId, "editor");
	await db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", member.userId).execute(),
	);
	const waited = sender && { ...sender, rights: { ...sender.rights, decidedAtMs: sender.rights.decidedAtMs - 1_001 } };
	expect(await ingest.submit({ ...request, body: body(), sender: waited })).toMatchObject({
		...{ status: 403, reason: "viewer_read_only" },
	});
	expect(await spansOf(open.name)).toBe(1);
});

test("a project that is deleted after an export was decided about is not made again by who may make none", async () => {
	const open = await makeProject("open");
	homes = { projectIds: new Set([open.id]), library: false };
	const user = { ...(await findMember()), role: "MEMBER" as const };
	const principal = { kind: "user_key", user, keyId: member.rowId, expiresAt: null, limits: { homes } } as const;
	const sender = {
		rights: (await auth.rights.ofSender(principal)) ?? { maker: null, decidedAtMs: 0 },
		id: "key",
		lookAgain: async () => (await auth.rights.ofSender(principal)) ?? { maker: null, decidedAtMs: 0 },
	};
	expect((await server.call("DELETE", `/v1/projects/${open.name}`, undefined, admin.headers)).status).toBe(204);
	const request = { signal: "traces", format: "protobuf", encoding: "identity" } as const;
	expect(await ingest.submit({ ...request, body: encodeSpans([makeSpan()]), sender })).toMatchObject({
		...{ status: 403, reason: "no_access" },
	});
	expect(await spansOf(open.name)).toBe(-1);
});

async function findMember() {
	const row = await db.read
		.selectFrom("users")
		.select(["id", "username", "email", "auth_method as authMethod"])
		.where("id", "=", member.userId)
		.executeTakeFirstOrThrow();
	return row;
}

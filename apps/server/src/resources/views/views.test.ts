import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
const open = await openTestApp();
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await open[Symbol.asyncDispose]();
});

let admin: TestPrincipal;
let member: TestPrincipal;
let other: TestPrincipal;
let viewer: TestPrincipal;
beforeAll(async () => {
	admin = await signedIn("ADMIN");
	member = await signedIn("MEMBER");
	other = await signedIn("MEMBER");
	viewer = await signedIn("VIEWER");
});

/** Errors as problem documents. */
const PROBLEMS = { accept: "application/problem+json, */*" };

async function signedIn(role: "ADMIN" | "MEMBER" | "VIEWER" | "SYSTEM"): Promise<TestPrincipal> {
	const principal = await server.signedIn(role);
	return { ...principal, headers: { ...principal.headers, ...PROBLEMS } };
}

const SLOW = {
	filter: "latency_ms > 1000",
	columns: ["name:240", "latency"],
	sort: "latency_ms",
	range: "last_week",
} as const;

async function save(body: object, by: TestPrincipal = member, on: TestApp = server) {
	const view = { name: "Slow", page: "spans", project: "default", state: SLOW, ...body };
	const { status, text, json } = await on.call("POST", "/v1/views", view, by.headers);
	expect(status, text).toBe(201);
	return json.data;
}

async function listed(by: Pick<TestPrincipal, "headers">, query = "", on: TestApp = server): Promise<string[]> {
	const { status, text, json } = await on.get(`/v1/views?limit=1000${query}`, by.headers);
	expect(status, text).toBe(200);
	return json.data.map(({ id }: { id: string }) => id);
}

/** Ids of a project made for one test. */
async function newProject(name: string): Promise<string> {
	const { json, text } = await server.call("POST", "/v1/projects", { name }, admin.headers);
	expect(json?.data?.id, text).toBeDefined();
	return json.data.id;
}

test("a view comes back as it was saved, is changed, and goes", async () => {
	const saved = await save({});
	expect(saved).toMatchObject({ name: "Slow", page: "spans", state: SLOW, visibility: "shared" });
	expect(saved.owner_id).toBe(Buffer.from(`User:${member.userId}`).toString("base64"));
	const path = `/v1/views/${saved.id}`;
	const read = await server.get(path, viewer.headers);
	expect(read.json.data).toEqual(saved);
	const state = { q: "time out", order: "asc", start_time: "2026-01-01T00:00:00.000Z" };
	const changed = await server.call("PATCH", path, { name: "Timeouts", state }, other.headers);
	expect(changed.json.data).toMatchObject({ name: "Timeouts", state, owner_id: saved.owner_id });
	const late = await server.call("PATCH", path, { name: "Late" }, { ...member.headers, "if-match": '"of before"' });
	expect(late.status).toBe(412);
	expect((await server.call("DELETE", path, undefined, member.headers)).status).toBe(204);
	expect((await server.get(path, member.headers)).status).toBe(404);
});

test("a list has the views of its project and those of every project, by page and part of the name", async () => {
	const [here, there] = [await newProject("here"), await newProject("there")];
	const ofHere = await save({ project: here, name: "Slow 100 % of calls" });
	const ofThere = await save({ project: "there" });
	const ofEvery = await save({ project: null, page: "sessions", state: {} });
	expect(ofEvery.project_id).toBeNull();
	expect(await listed(member, `&project=${here}`)).toEqual(expect.arrayContaining([ofHere.id, ofEvery.id]));
	expect(await listed(member, `&project=${here}`)).not.toContain(ofThere.id);
	expect(await listed(member, `&project=${there}&page=spans`)).toEqual([ofThere.id]);
	expect(await listed(member, `&project=${here}&name_contains=100%20%25`)).toEqual([ofHere.id]);
	expect((await server.call("DELETE", `/v1/projects/${here}`, undefined, admin.headers)).status).toBe(204);
	expect((await server.get(`/v1/views/${ofHere.id}`, member.headers)).status).toBe(404);
});

test("W31 private views are there for their owner alone", async () => {
	const own = await save({ visibility: "private" });
	expect(own.visibility).toBe("private");
	const path = `/v1/views/${own.id}`;
	const key = await signedIn("SYSTEM");
	for (const stranger of [admin, other, viewer, key]) {
		const asked = await server.get(path, stranger.headers);
		expect([asked.status, asked.json.code]).toEqual([404, "view_not_found"]);
		expect(await listed(stranger)).not.toContain(own.id);
		expect((await server.call("DELETE", path, undefined, stranger.headers)).status).toBe(
			stranger === viewer ? 403 : 404,
		);
	}
	expect(await listed(member)).toContain(own.id);
	expect((await server.call("PATCH", path, { visibility: "shared" }, member.headers)).json.data.visibility).toBe(
		"shared",
	);
	expect(await listed(viewer)).toContain(own.id);
	const hidden = await server.call("PATCH", path, { visibility: "private" }, admin.headers);
	expect([hidden.status, hidden.json.code]).toEqual([403, "not_own_view"]);
});

test("shared views of others are deleted by admins, and saved by no viewer", async () => {
	const view = await save({});
	const refused = await server.call("DELETE", `/v1/views/${view.id}`, undefined, other.headers);
	expect([refused.status, refused.json.code]).toEqual([403, "not_own_view"]);
	for (const call of [
		server.call("POST", "/v1/views", { name: "Own", page: "traces", state: {} }, viewer.headers),
		server.call("PATCH", `/v1/views/${view.id}`, { name: "Own" }, viewer.headers),
		server.call("PUT", "/v1/projects/default/default_views", { spans: view.id }, member.headers),
	])
		expect((await call).status).toBe(403);
	expect((await server.call("DELETE", `/v1/views/${view.id}`, undefined, admin.headers)).status).toBe(204);
});

test("with its account a private view goes, and a shared one loses its owner", async () => {
	const leaver = await signedIn("MEMBER");
	const [shared, own] = [await save({}, leaver), await save({ visibility: "private" }, leaver)];
	const user = Buffer.from(`User:${leaver.userId}`).toString("base64");
	expect((await server.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	expect((await server.get(`/v1/views/${shared.id}`, member.headers)).json.data.owner_id).toBeNull();
	const left = await server.context.db.read.selectFrom("saved_views").select("id").execute();
	const id = Number(Buffer.from(own.id, "base64").toString().split(":")[1]);
	expect(left.map((row) => row.id)).not.toContain(id);
});

test("what reaches some projects only sees their views, and none of every project", async () => {
	const project = await newProject("limited");
	const [inside, outside, ofEvery] = [await save({ project }), await save({}), await save({ project: null })];
	const made = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { name: "limited", projects: [project] } },
		member.headers,
	);
	const key = { headers: { authorization: `Bearer ${made.json.data.key}`, ...PROBLEMS } };
	expect(await listed(key)).toEqual([inside.id]);
	for (const { id } of [outside, ofEvery]) expect((await server.get(`/v1/views/${id}`, key.headers)).status).toBe(404);
	const everywhere = { name: "Every", page: "traces", state: {} };
	const refused = await server.call("POST", "/v1/views", everywhere, key.headers);
	expect([refused.status, refused.json.code]).toEqual([403, "key_limited"]);
	const defaults = { spans: ofEvery.id };
	await server.call("PUT", `/v1/projects/${project}/default_views`, defaults, admin.headers);
	const seen = await server.get(`/v1/projects/${project}/default_views`, key.headers);
	expect(seen.json.data.spans).toBeNull();
});

test("W31 lists of a project open with shared views that fit", async () => {
	const project = await newProject("defaults");
	const path = `/v1/projects/${project}/default_views`;
	const none = { traces: null, spans: null, sessions: null, users: null, errors: null };
	expect((await server.get(path, viewer.headers)).json.data).toEqual(none);
	const [view, ofEvery] = [await save({ project }), await save({ project: null, page: "traces" })];
	const set = (body: object) => server.call("PUT", path, body, admin.headers);
	expect((await set({ spans: view.id })).json.data).toEqual({ ...none, spans: view.id });
	expect((await set({ traces: ofEvery.id })).json.data).toEqual({ ...none, spans: view.id, traces: ofEvery.id });
	const [ofOther, own] = [await save({}), await save({ project, visibility: "private" }, admin)];
	for (const unfit of [{ traces: view.id }, { spans: ofOther.id }, { spans: own.id }]) {
		const refused = await set(unfit);
		expect([refused.status, refused.json.code]).toEqual([422, "unfit_default_view"]);
	}
	expect((await set({ pages: null })).json.errors[0].type).toBe("extra_forbidden");
	expect((await set({ traces: null })).json.data.traces).toBeNull();
	await server.call("PATCH", `/v1/views/${view.id}`, { visibility: "private" }, member.headers);
	expect((await server.get(path, viewer.headers)).json.data).toEqual(none);
});

test.each([
	[{ state: { fliter: "a" } }, "extra_forbidden", ["body", "state", "fliter"]],
	[{ page: "sessions", state: { span_kind: ["LLM"] } }, "extra_forbidden", ["body", "state", "span_kind"]],
	[{ state: { sort: "trace_count" } }, "literal_error", ["body", "state", "sort"]],
	[{ state: { range: "7d", start_time: "2026-01-01T00:00:00Z" } }, "value_error", ["body", "state", "range"]],
	[{ state: { range: "soon" } }, "string_pattern_mismatch", ["body", "state", "range"]],
	[{ page: "users", state: { sort: "score.tone" } }, "literal_error", ["body", "state", "sort"]],
	[{ pages: "traces" }, "extra_forbidden", ["body", "pages"]],
	[{ name: " " }, "value_error", ["body", "name"]],
	[{ name: "a".repeat(201) }, "string_too_long", ["body", "name"]],
	[{ state: { q: "a\0b" } }, "value_error", ["body", "state", "q"]],
])("%#: a body that does not fit is refused", async (body, type, loc) => {
	const view = { name: "Slow", page: "spans", project: "default", state: {}, ...body };
	const { status, json } = await server.call("POST", "/v1/views", view, member.headers);
	expect([status, json.errors?.[0]?.type, json.errors?.[0]?.loc]).toEqual([422, type, loc]);
});

test("a filter that the list would refuse is refused with its place", async () => {
	const state = { filter: "latency_ms > " };
	const { status, json } = await server.call(
		"POST",
		"/v1/views",
		{ name: "Slow", page: "spans", state },
		member.headers,
	);
	expect([status, json.code, json.position]).toEqual([422, "invalid_filter", 13]);
	const unknown = await server.get("/v1/views?pages=spans", member.headers);
	expect([unknown.status, unknown.json.errors[0].type]).toEqual([422, "extra_forbidden"]);
});

test("more than 200 of one owner in one project, and 2,000 in all, are refused", async () => {
	const owner = await signedIn("MEMBER");
	const project = await newProject("many");
	const body = { name: "One of many", page: "traces", project, state: {} };
	await save(body, owner);
	const fill = async (count: number, owner_id: number | null, project_id: number | null) => {
		const row = { ...{ name: "One of many", page: "traces" as const, project_id, state: "{}", owner_id } };
		const rest = { private_to: null, created_at: 1, updated_at: 1 };
		await server.context.db.write((transaction) =>
			transaction
				.insertInto("saved_views")
				.values(Array.from({ length: count }, () => ({ ...row, ...rest })))
				.execute(),
		);
	};
	const row = Number(Buffer.from(project, "base64").toString().split(":")[1]);
	await fill(199, owner.userId, row);
	const refused = await server.call("POST", "/v1/views", body, owner.headers);
	expect([refused.status, refused.json.code]).toEqual([409, "too_many_views"]);
	await save({ ...body, project: "default" }, owner);
	await save(body, other);
	const { length } = await server.context.db.read.selectFrom("saved_views").select("id").execute();
	await fill(2_000 - length, null, null);
	const full = await server.call("POST", "/v1/views", { ...body, project: "default" }, other.headers);
	expect([full.status, full.json.code]).toEqual([409, "too_many_views"]);
});

test("while authentication is off all are shared, and nobody saves a private one", async () => {
	const nobody = { headers: {} } as unknown as TestPrincipal;
	const saved = await save({ project: null }, nobody, open);
	expect([saved.owner_id, saved.visibility]).toEqual([null, "shared"]);
	const own = { name: "Own", page: "traces", state: {}, visibility: "private" };
	const refused = await open.call("POST", "/v1/views", own, PROBLEMS);
	expect([refused.status, refused.json.code]).toEqual([422, "private_view_without_account"]);
	await open.context.db.write((transaction) =>
		transaction
			.updateTable("saved_views")
			.set({ private_to: transaction.selectFrom("users").select("id").limit(1) })
			.execute(),
	);
	const { json } = await open.get(`/v1/views/${saved.id}`);
	expect(json.data.visibility).toBe("shared");
	expect((await open.call("DELETE", `/v1/views/${saved.id}`)).status).toBe(204);
});

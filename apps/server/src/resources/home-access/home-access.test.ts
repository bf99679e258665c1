import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS, type TestPrincipal } from "#test-principals.ts";

/** Whoever makes a project is its manager by a grant, but for the system. */
const SYSTEM = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };

let server: TestApp;
let admin: TestPrincipal;
let ada: TestPrincipal;
let bob: TestPrincipal;
let viewer: TestPrincipal;
let project: string;
let url: string;
let count = 0;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	ada = await server.signedIn("MEMBER");
	bob = await server.signedIn("MEMBER");
	viewer = await server.signedIn("VIEWER");
});
afterAll(async () => await server[Symbol.asyncDispose]());
beforeEach(async () => {
	project = `pay-${++count}`;
	url = `/v1/projects/${project}/access`;
	const made = await server.call("POST", "/v1/projects", { name: project }, SYSTEM);
	expect(made.status, made.text).toBe(200);
});

async function change(body: object, by = admin, headers = {}) {
	return await server.call("PATCH", url, body, { ...by.headers, ...headers });
}

const codeOf = async (answer: Promise<{ text: string; json: { code: string } }>) => (await answer).json.code;
const problem = { accept: "application/problem+json" };

test("a project begins open, and says why one may do there what one may", async () => {
	const { status, json } = await server.get(url, bob.headers);
	expect(status).toBe(200);
	expect(json.data).toMatchObject({
		access: "open",
		own: { role: "editor", because: [{ kind: "open", role: "editor", counts_as: "editor" }] },
		may_manage: false,
	});
	expect(json.data.grants).toBeUndefined();
	expect((await server.get(url, viewer.headers)).json.data.own.role).toBe("viewer");
});

test("projects say who sees them, and one's own role, where that is asked for", async () => {
	await change({ access: "restricted", set: [{ subject: { user: ada.email }, role: "annotator" }] });
	const one = `/v1/projects/${project}`;
	const asked = await server.get(`${one}?include=access`, ada.headers);
	expect(asked.json.data).toMatchObject({ name: project, access: "restricted", own_role: "annotator" });
	expect(asked.headers["etag"]).toBeUndefined();
	expect((await server.get(`${one}?include=access`, admin.headers)).json.data.own_role).toBe("manager");
	for (const sort of ["id", "name", "span_count"]) {
		const { data } = (await server.get(`/v1/projects?include=access&sort=${sort}`, viewer.headers)).json;
		expect(data, sort).toContainEqual(expect.objectContaining({ name: "default", access: "open", own_role: "viewer" }));
		expect(data, sort).not.toContainEqual(expect.objectContaining({ name: project }));
	}
	const plain = await server.get(one, ada.headers);
	expect(Object.keys(plain.json.data)).toEqual(["id", "name", "description", "created_at", "updated_at"]);
	expect(plain.headers["etag"]).toBeDefined();
});

test("restricted, it exists for those with a grant only, and says how many they are", async () => {
	const { json } = await change({ access: "restricted", set: [{ subject: { user: ada.email }, role: "manager" }] });
	expect(json.data).toMatchObject({
		access: "restricted",
		grants: [{ subject: { type: "user", name: ada.username }, role: "manager", counts_as: "manager", by: "direct" }],
		own: { role: "manager", because: [{ kind: "admin" }] },
	});
	// The admins: this one, and the one that every installation has.
	expect(json.data.people_count).toBe(3);
	expect((await server.get(url, ada.headers)).json.data).toMatchObject({ may_manage: true, own: { role: "manager" } });
	const hidden = await server.get(url, bob.headers);
	const never = await server.get("/v1/projects/never/access", bob.headers);
	expect([hidden.status, hidden.text.replace(project, "never")]).toEqual([404, never.text]);
});

test("R04: a grant to a VIEWER counts as viewer, and is kept", async () => {
	await change({ access: "restricted", set: [{ subject: { user: viewer.username }, role: "manager" }] });
	const { json } = await server.get(url, admin.headers);
	expect(json.data.grants).toMatchObject([{ role: "manager", counts_as: "viewer" }]);
	expect((await server.get(url, viewer.headers)).json.data.own).toMatchObject({
		role: "viewer",
		because: [{ kind: "direct", role: "manager", counts_as: "viewer" }],
	});
	expect((await change({ access: "open" }, viewer)).status).toBe(403);
});

test("below manager one learns whom to ask, and changes nothing", async () => {
	const set = [
		{ subject: { user: ada.username }, role: "manager" },
		{ subject: { user: bob.username }, role: "editor" },
	];
	await change({ access: "restricted", set });
	const { json } = await server.get(url, bob.headers);
	expect(json.data.managers).toMatchObject([{ name: ada.username }]);
	const refused = await server.call("PATCH", url, { access: "open" }, { ...bob.headers, ...problem });
	expect([refused.status, refused.json]).toMatchObject([
		403,
		{ code: "project_role_needed", needed: "manager", own: "editor" },
	]);
	expect((await server.get(`${url}/people`, bob.headers)).status).toBe(403);
});

test("R18: of two who save at once the second gets 412, and the audit log has the order", async () => {
	const tag = String((await server.get(url, admin.headers)).headers["etag"]);
	const first = await change({ access: "restricted" }, admin, { "if-match": tag });
	expect(first.status).toBe(200);
	const late = await change({ access: "open" }, admin, { "if-match": tag, ...problem });
	expect([late.status, late.json]).toMatchObject([
		412,
		{ changed_by: { kind: "session", username: admin.username }, changed_at: expect.any(String) },
	]);
	const hidden = await change({ access: "open" }, ada, { "if-match": tag, ...problem });
	expect([hidden.status, hidden.json["changed_by"]]).toEqual([404, undefined]);
	expect((await change({ access: "open" }, admin, { "if-match": String(first.headers["etag"]) })).status).toBe(200);
	const { json } = await server.get("/v1/audit_events?action=access.update", admin.headers);
	const of = json.data.filter((event: { target: { name: string } }) => event.target.name === project);
	expect(of.map(({ details }: { details: object }) => details)).toEqual([
		{ access_before: "restricted", access: "open" },
		{ access_before: "open", access: "restricted" },
	]);
});

test("R19: the last manager leaves, and admins still manage", async () => {
	await change({ access: "restricted", set: [{ subject: { user: ada.username }, role: "manager" }] });
	const left = await change({ remove: [{ user: ada.username }] }, ada);
	expect([left.status, left.json.data.own.role]).toEqual([200, null]);
	expect((await server.get(url, ada.headers)).status).toBe(404);
	expect((await change({ set: [{ subject: { user: ada.username }, role: "viewer" }] })).status).toBe(200);
});

test("everybody who has a role is listed, with each reason", async () => {
	const { json: made } = await server.call("POST", "/v1/teams", { name: `Team ${count}` }, admin.headers);
	const members = `/v1/teams/${made.data.id}/members`;
	await server.call("PATCH", members, { add: [ada.email, bob.username] }, admin.headers);
	const set = [
		{ subject: { team: made.data.id }, role: "annotator" },
		{ subject: { user: bob.username }, role: "viewer" },
	];
	await change({ access: "restricted", set });
	const { json } = await server.get(`${url}/people?limit=1000`, admin.headers);
	const of = Object.fromEntries(json.data.map((person: { username: string }) => [person.username, person]));
	expect(of[ada.username]).toMatchObject({
		counts_as: "annotator",
		because: [{ kind: "team", name: `Team ${count}` }],
	});
	expect(of[bob.username]).toMatchObject({ counts_as: "annotator", because: [{ kind: "team" }, { kind: "direct" }] });
	expect(of[admin.username]).toMatchObject({ counts_as: "manager", because: [{ kind: "admin" }] });
	expect(of[viewer.username]).toBeUndefined();
	expect((await server.get(`${url}/people?limit=1`, admin.headers)).json.next_cursor).toBeTypeOf("string");
	const csv = await server.get(`${url}/people/csv`, admin.headers);
	expect(csv.headers["content-disposition"]).toContain(`people of ${project}.csv`);
	expect(csv.text.split("\r\n")).toContain(`${ada.username},annotator,annotator,team Team ${count}: annotator`);
	expect((await server.get(`${url}/people/csv`, ada.headers)).status).toBe(403);
	expect((await server.get(`${url}/people/csv`, viewer.headers)).status).toBe(404);
});

test("before restricting it is said who loses the project, and whose keys are refused", async () => {
	const key = await server.signedIn("MEMBER", "key");
	await server.context.db.write((transaction) =>
		transaction.updateTable("api_keys").set({ last_used_at: 1e15 }).where("id", "=", key.rowId).execute(),
	);
	await change({ set: [{ subject: { user: ada.username }, role: "editor" }] });
	const { json } = await server.get(`${url}/restricting`, admin.headers);
	expect(json.data.keeping_count).toBe(3);
	const losing = json.data.losing.map(({ username }: { username: string }) => username);
	expect(losing).toContain(key.username);
	expect(losing).not.toContain(ada.username);
	expect(json.data.refused_keys).toMatchObject([{ owner: key.username, name: "test" }]);
	expect((await server.get(`${url}/restricting`, bob.headers)).status).toBe(403);
	const team = (await server.call("POST", "/v1/teams", { name: `Kept ${count}` }, admin.headers)).json.data.id;
	await server.call("PATCH", `/v1/teams/${team}/members`, { add: [bob.email] }, admin.headers);
	const body = {
		projects: [project, "never"],
		change: { access: "restricted", set: [{ subject: { team }, role: "viewer" }] },
	};
	const preview = await server.call("POST", "/v1/access/batch/preview", body, admin.headers);
	expect(preview.json.data[1]).toMatchObject({ project: "never", refused: { code: "project_not_found" } });
	const without = preview.json.data[0].effects.losing.map(({ username }: { username: string }) => username);
	expect(without).toContain(viewer.username);
	expect(without).not.toContain(bob.username);
	expect((await server.get(url, admin.headers)).json.data.access).toBe("open");
	const refused = await server.call("POST", "/v1/access/batch/preview", body, viewer.headers);
	expect(refused.json.data[0]).toMatchObject({ refused: { code: "project_role_needed" } });
});

test("what a request gets wrong is said by name, and nothing is changed", async () => {
	const subject = { user: ada.username };
	const refusals: [object, string][] = [
		[{ access: "restricted", set: [{ subject: { user: "nobody" }, role: "viewer" }] }, "unknown_subject"],
		[{ access: "restricted", set: [{ subject: { team: "nobody" }, role: "viewer" }] }, "unknown_subject"],
		[{ set: [{ subject, role: "viewer" }], remove: [{ user: ada.email }] }, "subject_twice"],
	];
	for (const [body, code] of refusals) expect(await codeOf(change(body, admin, problem))).toBe(code);
	for (const body of [{}, { acess: "open" }, { set: [{ subject, role: "owner" }] }, { remove: [{ group: "a" }] }])
		expect((await change(body)).status).toBe(422);
	expect((await server.get(`${url}?x=1`, admin.headers)).status).toBe(422);
	expect((await server.get(url, admin.headers)).json.data).toMatchObject({ access: "open", grants: [] });
});

test("a project that was made for something follows that", async () => {
	const { db } = server.context;
	await db.write((transaction) =>
		transaction.updateTable("projects").set({ origin: "experiment" }).where("name", "=", project).execute(),
	);
	expect(await codeOf(change({ access: "restricted" }, admin, problem))).toBe("access_follows");
});

test("a batch says of each project what became of it, or changes none", async () => {
	const body = { projects: [project, "never", "default"], change: { access: "restricted" } };
	const { json } = await server.call("POST", "/v1/access/batch", body, admin.headers);
	expect(json.data).toMatchObject([
		{ project, outcome: "changed" },
		{ project: "never", outcome: "refused", code: "project_not_found" },
		{ project: "default", outcome: "changed" },
	]);
	const back = { ...body, change: { access: "open" }, atomic: true };
	expect((await server.call("POST", "/v1/access/batch", back, admin.headers)).status).toBe(404);
	expect((await server.get(url, admin.headers)).json.data.access).toBe("restricted");
	const rest = { ...back, projects: [project, "default"] };
	expect((await server.call("POST", "/v1/access/batch", rest, admin.headers)).status).toBe(200);
	expect((await server.call("POST", "/v1/access/batch", rest, viewer.headers)).status).toBe(403);
});

test("the library has access like a project, which admins set", async () => {
	const library = "/v1/library/access";
	const set = [{ subject: { user: ada.username }, role: "editor" }];
	expect((await server.call("PATCH", library, { access: "restricted", set }, ada.headers)).status).toBe(403);
	const { json } = await server.call("PATCH", library, { access: "restricted", set }, admin.headers);
	expect(json.data).toMatchObject({ access: "restricted", may_manage: true, people_count: 3 });
	expect((await server.get(library, ada.headers)).json.data.own.role).toBe("editor");
	expect((await server.get(library, bob.headers)).status).toBe(404);
	expect((await server.get(`${library}/people`, admin.headers)).json.data).toHaveLength(3);
	await server.call("PATCH", library, { access: "open", remove: [{ user: ada.username }] }, admin.headers);
});

test("R21: while the storage is full, taking away works, and giving is refused like other writes", async () => {
	await using full = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_DATABASE_ALLOCATED_STORAGE_CAPACITY_GIBIBYTES: "0.00001",
		SERVICE_DATABASE_USAGE_INSERTION_BLOCKING_THRESHOLD_PERCENTAGE: "50",
	});
	const { headers } = await full.signedIn("ADMIN");
	const member = await full.signedIn("MEMBER");
	const { db, auth } = full.context;
	await db.write((transaction) =>
		transaction
			.insertInto("grants")
			.values({ project_id: 1, user_id: member.userId, team_id: null, role: "editor", created_at: 1, created_by: null })
			.execute(),
	);
	auth.rights.invalidate();
	const subject = { user: member.username };
	const statusOf = async (body: object) =>
		(await full.call("PATCH", "/v1/projects/default/access", body, headers)).status;
	expect(await statusOf({ set: [{ subject, role: "manager" }] })).toBe(507);
	expect(await statusOf({ access: "restricted", set: [{ subject, role: "viewer" }] })).toBe(200);
	expect(await statusOf({ remove: [subject] })).toBe(200);
	expect(await statusOf({ set: [{ subject, role: "viewer" }] })).toBe(507);
	expect(await statusOf({ access: "open" })).toBe(507);
	expect((await full.call("POST", "/v1/teams", { name: "Team" }, headers)).status).toBe(507);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS, type TestPrincipal } from "#test-principals.ts";

/** Whoever makes a project is its manager by a grant, but for the system. */
const SYSTEM = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };

let server: TestApp;
let admin: TestPrincipal;
let ada: TestPrincipal;
let viewer: TestPrincipal;
const problem = { accept: "application/problem+json" };

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_MAX_API_KEY_DAYS: "90" });
	admin = await server.signedIn("ADMIN");
	ada = await server.signedIn("MEMBER");
	viewer = await server.signedIn("VIEWER");
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function makeRestricted(...names: string[]) {
	for (const name of names) await server.call("POST", "/v1/projects", { name }, SYSTEM);
	const body = { projects: names, change: { access: "restricted" } };
	const { json } = await server.call("POST", "/v1/access/batch", body, admin.headers);
	expect(json.data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(names.map(() => "changed"));
}

test("R16: a rule gives a team its role in every project that fits, as long as it has it", async () => {
	const team = await server.call("POST", "/v1/teams", { name: "Payments" }, admin.headers);
	await server.call("PATCH", `/v1/teams/${team.json.data.id}/members`, { add: [ada.username] }, admin.headers);
	await makeRestricted("pay-api", "pay", "xpay-1");
	const body = { pattern: "pay-*", grants: [{ subject: { team: "payments" }, role: "editor" }] };
	const made = await server.call("POST", "/v1/access_rules", body, admin.headers);
	expect([made.status, made.json.data]).toMatchObject([
		201,
		{ pattern: "pay-*", access_of_new: null, project_count: 1 },
	]);
	await makeRestricted("pay-web");
	const roleAt = async (name: string) =>
		(await server.get(`/v1/projects/${name}/access`, ada.headers)).json?.data?.own.role;
	const roles = async () => await Promise.all(["pay-api", "pay-web", "pay", "xpay-1"].map(roleAt));
	expect(await roles()).toEqual(["editor", "editor", undefined, undefined]);
	const { json } = await server.get("/v1/projects/pay-api/access", ada.headers);
	expect(json.data.own.because).toEqual([
		{ kind: "rule", name: "pay-*", team: "Payments", role: "editor", counts_as: "editor" },
	]);
	const shown = (await server.get("/v1/projects/pay-api/access", admin.headers)).json.data;
	expect(shown.grants).toMatchObject([{ by: "rule", rule: { pattern: "pay-*" }, subject: { name: "Payments" } }]);
	const url = `/v1/access_rules/${made.json.data.id}`;
	const one = await server.get(url, admin.headers);
	expect(one.json).toEqual((({ data }) => ({ data: { ...data, project_count: 2 } }))(made.json));
	const description = { description: "of Payments" };
	const tagged = { ...admin.headers, ...problem, "if-match": String(one.headers["etag"]) };
	expect((await server.call("PATCH", url, description, tagged)).status).toBe(200);
	const late = await server.call("PATCH", url, description, tagged);
	expect([late.status, late.json.changed_by]).toEqual([412, { kind: "session", username: admin.username }]);
	await server.call("PATCH", url, { grants: [{ subject: { team: "payments" }, role: "viewer" }] }, admin.headers);
	expect((await roles())[0]).toBe("viewer");
	expect((await server.call("DELETE", url, undefined, admin.headers)).status).toBe(204);
	expect(await roles()).toEqual([undefined, undefined, undefined, undefined]);
	const { json: audit } = await server.get("/v1/audit_events?action=access.rule.update", admin.headers);
	expect(audit.data.map(({ details }: { details: object }) => details)).toEqual([
		{ team: "Payments", role_before: "editor", role: "viewer" },
		{ description_before: null, description: "of Payments" },
		{ team: "Payments", role_before: null, role: "editor" },
	]);
});

test("a preview says which projects a pattern fits, and stores nothing", async () => {
	const { json } = await server.call("POST", "/v1/access_rules/preview", { pattern: "*pay*" }, admin.headers);
	expect(json.data.project_count).toBe(4);
	expect(json.data.projects.map(({ name }: { name: string }) => name)).toContain("xpay-1");
	expect((await server.get("/v1/access_rules", admin.headers)).json.data).toEqual([]);
});

test("rules and the policy are for admins", async () => {
	for (const [method, path, body] of [
		["POST", "/v1/access_rules", { pattern: "*" }],
		["POST", "/v1/access_rules/preview", { pattern: "*" }],
		["PATCH", "/v1/access_policy", { members_create_projects: false }],
	] as const)
		expect((await server.call(method, path, body, ada.headers)).status).toBe(403);
	expect((await server.get("/v1/access_policy", ada.headers)).status).toBe(403);
	expect((await server.get("/v1/access_rules", ada.headers)).status).toBe(403);
});

test("the policy says what a variable has set, and does not change that", async () => {
	const { json, headers } = await server.get("/v1/access_policy", admin.headers);
	expect(json.data).toEqual({
		default_project_access: { value: "open", pinned: false, variable: "SERVICE_DEFAULT_PROJECT_ACCESS" },
		open_role_of_members: { value: "editor", pinned: false, variable: "SERVICE_OPEN_ROLE_OF_MEMBERS" },
		members_create_projects: { value: true, pinned: false, variable: "SERVICE_MEMBERS_CREATE_PROJECTS" },
		max_key_days: { value: 90, pinned: true, variable: "SERVICE_MAX_API_KEY_DAYS" },
	});
	const refused = await server.call(
		"PATCH",
		"/v1/access_policy",
		{ max_key_days: null },
		{ ...admin.headers, ...problem },
	);
	expect([refused.status, refused.json]).toMatchObject([
		409,
		{ code: "set_by_variable", variable: "SERVICE_MAX_API_KEY_DAYS" },
	]);
	const tagged = { ...admin.headers, "if-match": String(headers["etag"]) };
	const change = { open_role_of_members: "annotator" };
	const changed = await server.call("PATCH", "/v1/access_policy", change, tagged);
	expect([changed.status, changed.json.data.open_role_of_members.value]).toEqual([200, "annotator"]);
	expect((await server.call("PATCH", "/v1/access_policy", change, tagged)).status).toBe(412);
	expect((await server.get("/v1/projects/default/access", ada.headers)).json.data.own.role).toBe("annotator");
	expect((await server.get("/v1/projects/default/access", viewer.headers)).json.data.own.role).toBe("viewer");
	const { json: audit } = await server.get("/v1/audit_events?action=access.policy", admin.headers);
	expect(audit.data).toMatchObject([
		{ details: { open_role_of_members_before: "editor", open_role_of_members: "annotator" } },
	]);
});

test("who manages something finds people by their exact name and teams by the beginning", async () => {
	const find = async (q: string, by = ada) =>
		await server.get(`/v1/access_subjects?q=${encodeURIComponent(q)}`, { ...by.headers, ...problem });
	expect((await find("pay")).json.code).toBe("project_role_needed");
	const set = [{ subject: { user: ada.username }, role: "manager" }];
	await server.call("PATCH", "/v1/projects/pay/access", { set }, admin.headers);
	expect((await find("PAY")).json.data).toMatchObject([{ type: "team", name: "Payments" }]);
	expect((await find(viewer.email.toUpperCase())).json.data).toEqual([
		{ type: "user", id: expect.any(String), name: viewer.username },
	]);
	expect((await find(viewer.username.slice(0, -1))).json.data).toEqual([]);
	expect((await find("SYSTEM")).json.data).toEqual([]);
	expect((await find("%")).json.data).toEqual([]);
	const statuses = new Set<number>();
	for (let count = 0; count < 30; count++) statuses.add((await find("pay")).status);
	expect(statuses).toEqual(new Set([200, 429]));
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

let server: TestApp;
let admin: TestPrincipal;
let ada: TestPrincipal;
let bob: TestPrincipal;
const problem = { accept: "application/problem+json" };

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	ada = await server.signedIn("MEMBER");
	bob = await server.signedIn("MEMBER");
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function makeTeam(name: string, ...add: string[]) {
	const { status, json, text } = await server.call("POST", "/v1/teams", { name }, admin.headers);
	expect(status, text).toBe(201);
	if (add.length > 0) await server.call("PATCH", `/v1/teams/${json.data.id}/members`, { add }, admin.headers);
	return { id: String(json.data.id), url: `/v1/teams/${json.data.id}` };
}

test("everybody sees teams, members and admins also who is in them", async () => {
	await makeTeam("Payments", ada.username);
	const of = async ({ headers }: TestPrincipal) => (await server.get("/v1/teams?q=pay", headers)).json.data;
	expect(await of(admin)).toMatchObject([{ name: "Payments", source: "manual", member_count: 1, external_groups: [] }]);
	expect((await of(ada))[0].members).toEqual([ada.username]);
	expect((await of(bob))[0]).not.toHaveProperty("members");
	expect((await of(bob))[0]).not.toHaveProperty("external_groups");
});

test("names are unique whatever case", async () => {
	const { url } = await makeTeam("Support");
	for (const name of ["support", " ＳＵＰＰＯＲＴ "]) {
		const { status, json } = await server.call("POST", "/v1/teams", { name }, { ...admin.headers, ...problem });
		expect([status, json.code]).toEqual([409, "team_exists"]);
	}
	const renamed = await server.call("PATCH", url, { name: "SUPPORT" }, admin.headers);
	expect([renamed.status, renamed.json.data.name]).toEqual([200, "SUPPORT"]);
});

test("only admins make, change and delete teams", async () => {
	const { url } = await makeTeam("Admins only");
	for (const [method, path, body] of [
		["POST", "/v1/teams", { name: "Mine" }],
		["PATCH", url, { description: "x" }],
		["PATCH", `${url}/members`, { add: [ada.username] }],
		["DELETE", url, undefined],
	] as const)
		expect((await server.call(method, path, body, ada.headers)).status).toBe(403);
	expect((await server.get(url, ada.headers)).status).toBe(403);
});

test("an entity tag keeps two admins from overwriting each other", async () => {
	const { url } = await makeTeam("Tagged");
	const tag = String((await server.get(url, admin.headers)).headers["etag"]);
	const headers = { ...admin.headers, "if-match": tag };
	expect((await server.call("PATCH", `${url}/members`, { add: [ada.username] }, headers)).status).toBe(200);
	expect((await server.call("PATCH", url, { name: "Other" }, headers)).status).toBe(412);
});

test("members by a group are not taken out by hand, and go with the group", async () => {
	const { id, url } = await makeTeam("Groups", ada.username);
	const external_groups = [{ from: "oauth2:okta", group: "payments" }];
	await server.call("PATCH", url, { external_groups }, admin.headers);
	const teamId = Number(Buffer.from(id, "base64").toString().split(":")[1]);
	await server.context.db.write((transaction) =>
		transaction
			.insertInto("team_members")
			.values(
				[ada, bob].map(({ userId: user_id }) => ({ team_id: teamId, user_id, source: "oauth2:okta", created_at: 1 })),
			)
			.execute(),
	);
	const members = async () => (await server.get(`${url}/members`, admin.headers)).json.data;
	expect(await members()).toMatchObject([
		{ username: ada.username, sources: ["manual", "oauth2:okta"] },
		{ username: bob.username, sources: ["oauth2:okta"] },
	]);
	const remove = { remove: [ada.username, bob.username] };
	const refused = await server.call("PATCH", `${url}/members`, remove, { ...admin.headers, ...problem });
	expect([refused.status, refused.json.code]).toEqual([409, "member_by_group"]);
	await server.call("PATCH", url, { external_groups: [] }, admin.headers);
	expect(await members()).toMatchObject([{ username: ada.username, sources: ["manual"] }]);
});

test("the name of a team from SCIM is not changed here, but people may be added beside", async () => {
	const { url, id } = await makeTeam("Directory");
	const teamId = Number(Buffer.from(id, "base64").toString().split(":")[1]);
	await server.context.db.write((transaction) =>
		transaction.updateTable("teams").set({ source: "scim" }).where("id", "=", teamId).execute(),
	);
	const refused = await server.call("PATCH", url, { name: "Mine" }, { ...admin.headers, ...problem });
	expect([refused.status, refused.json.code]).toEqual([409, "managed_by_scim"]);
	expect((await server.call("PATCH", `${url}/members`, { add: [ada.username] }, admin.headers)).status).toBe(200);
});

test("R19: deleting a team says where people lose their role", async () => {
	await server.call("POST", "/v1/projects", { name: "ledger" }, admin.headers);
	const { url, id } = await makeTeam("Ledger", ada.username, bob.username);
	const set = [
		{ subject: { team: id }, role: "editor" },
		{ subject: { user: ada.username }, role: "viewer" },
	];
	await server.call("PATCH", "/v1/projects/ledger/access", { access: "restricted", set }, admin.headers);
	expect((await server.get("/v1/projects/ledger/access", bob.headers)).status).toBe(200);
	const homes = [{ type: "project", name: "ledger", role: "editor", only_by_team: 1 }];
	expect((await server.get(url, admin.headers)).json.data).toMatchObject({ homes, home_count: 1, member_count: 2 });
	const { status, json } = await server.call("DELETE", url, undefined, admin.headers);
	expect([status, json.data.homes]).toMatchObject([200, homes]);
	expect((await server.get("/v1/projects/ledger/access", bob.headers)).status).toBe(404);
	expect((await server.get("/v1/projects/ledger/access", ada.headers)).json.data.own.role).toBe("viewer");
});

test("the audit log says who put whom into which team", async () => {
	const { url } = await makeTeam("Audited", ada.username);
	await server.call("PATCH", `${url}/members`, { remove: [ada.username] }, admin.headers);
	await server.call("PATCH", url, { name: "Audited 2" }, admin.headers);
	await server.call("DELETE", url, undefined, admin.headers);
	const { json } = await server.get("/v1/audit_events?limit=1000", admin.headers);
	const events = json.data.filter(({ target }: { target?: { name: string } }) => target?.name.startsWith("Audited"));
	expect(events.map(({ action, details }: { action: string; details: object }) => [action, details])).toMatchObject([
		["team.delete", { members: 0 }],
		["team.update", { name_before: "Audited", name: "Audited 2" }],
		["team.member.remove", { user: ada.username }],
		["team.member.add", { user: ada.username, source: "manual" }],
		["team.create", {}],
	]);
});

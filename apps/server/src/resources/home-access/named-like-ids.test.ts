import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS, type TestPrincipal } from "#test-principals.ts";

/** Whoever makes a project is its manager by a grant, but for the system. */
const SYSTEM = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };

let server: TestApp;
let admin: TestPrincipal;
let ada: TestPrincipal;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	ada = await server.signedIn("MEMBER");
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function send(project: string, headers: Record<string, string>) {
	const span = { traceId: "7".repeat(32), spanId: "7".repeat(16), name: "step" };
	const times = { startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000100000000" };
	const resource = { attributes: [{ key: "openinference.project.name", value: { stringValue: project } }] };
	const resourceSpans = [{ resource, scopeSpans: [{ scope: {}, spans: [{ ...span, ...times }] }] }];
	return (await server.call("POST", "/v1/traces", { resourceSpans }, headers)).status;
}

/** Restricts a project that is there by a first span. @returns its id */
async function sendAndRestrict(name: string): Promise<string> {
	expect(await send(name, SYSTEM)).toBe(200);
	const { json } = await server.get("/v1/projects?limit=1000", admin.headers);
	const { id } = json.data.find((project: { name: string }) => project.name === name);
	expect(
		(await server.call("PATCH", `/v1/projects/${id}/access`, { access: "restricted" }, admin.headers)).status,
	).toBe(200);
	return id;
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
	["..", ".."],
	["a name with slashes", "a/../b//c"],
	["a name in NFD", "café".normalize("NFD")],
	["a name in NFC", "café".normalize("NFC")],
	["the id of a dataset", base64("Dataset:1")],
	["the library", "library"],
])("R20: %s is the same project by name and by id, for roles, rules, keys and sending", async (_, name) => {
	const id = await sendAndRestrict(name);
	// `..` goes from every URL before it is sent, however it is written: bodies name such a project, paths take its id.
	const byName = name === ".." ? id : encodeURIComponent(name);
	const access = async (identifier: string) => {
		const { status, json } = await server.get(`/v1/projects/${identifier}/access`, ada.headers);
		return status === 200 ? json.data.own.role : status;
	};
	const both = async () => [await access(byName), await access(id), await send(name, ada.headers)];
	expect(await both()).toEqual([404, 404, 403]);

	const set = [{ subject: { user: ada.email }, role: "editor" }];
	const given = await server.call("PATCH", `/v1/projects/${byName}/access`, { set }, admin.headers);
	expect(given.status, given.text).toBe(200);
	expect(await both()).toEqual(["editor", "editor", 200]);
	const data = { name: "limited", projects: [name] };
	const made = await server.call("POST", "/v1/user/api_keys", { data }, ada.headers);
	expect(made.json.data.projects, made.text).toMatchObject([{ id, name }]);
	const key = { authorization: `Bearer ${made.json.data.key}` };
	expect((await server.get(`/v1/projects/${byName}`, key)).json.data.id).toBe(id);
	expect([await send(name, key), await send("default", key)]).toEqual([200, 403]);
	const remove = [{ user: ada.email }];
	const taken = await server.call("POST", "/v1/access/batch", { projects: [name], change: { remove } }, admin.headers);
	expect(taken.json.data).toMatchObject([{ outcome: "changed" }]);
	expect(await both()).toEqual([404, 404, 403]);

	const body = { pattern: name, grants: [{ subject: { user: ada.email }, role: "viewer" }] };
	const rule = await server.call("POST", "/v1/access_rules", body, admin.headers);
	expect(rule.json.data, rule.text).toMatchObject({ project_count: 1 });
	expect(await both()).toEqual(["viewer", "viewer", 403]);
	await server.call("DELETE", `/v1/access_rules/${rule.json.data.id}`, undefined, admin.headers);
});

test("R20: a project named like the id of another is reached by its own id, and gives nothing of the other", async () => {
	const other = await sendAndRestrict("the other");
	const id = await sendAndRestrict(other);
	const set = [{ subject: { user: ada.email }, role: "editor" }];
	expect((await server.call("PATCH", `/v1/projects/${id}/access`, { set }, admin.headers)).status).toBe(200);
	expect((await server.get(`/v1/projects/${id}`, ada.headers)).json.data.name).toBe(other);
	expect((await server.get(`/v1/projects/${encodeURIComponent(other)}`, ada.headers)).status).toBe(404);
	expect(await send(other, ada.headers)).toBe(200);
	expect(await send("the other", ada.headers)).toBe(403);
	const limited = async (project: string) => {
		const data = { name: "limited", projects: [project] };
		return (await server.call("POST", "/v1/user/api_keys", { data }, ada.headers)).status;
	};
	expect([await limited(id), await limited(other)]).toEqual([201, 422]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { TEST_SECRETS, type TestPrincipal } from "#test-principals.ts";

let server: TestApp;
let admin: TestPrincipal;
const PROJECTS = ["pay-api", "pay-web", "support"] as const;
const ids = new Map<string, number>();
const problem = { accept: "application/problem+json" };

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	admin = await server.signedIn("ADMIN");
	for (const [index, name] of PROJECTS.entries()) {
		const sent = await exportSpan(name, admin.headers, String(index + 1));
		expect(sent.status, sent.text).toBe(200);
		const { json } = await server.get(`/v1/projects/${name}`, admin.headers);
		ids.set(name, rowOf(json.data.id));
	}
});
afterAll(async () => await server[Symbol.asyncDispose]());

function rowOf(globalId: string): number {
	return Number(Buffer.from(globalId, "base64").toString().split(":")[1]);
}

/** A span whose ids are of one digit, so that another of its digit is the same one. */
async function exportSpan(project: string, headers: Record<string, string>, digit: string) {
	const span = { traceId: digit.repeat(32), spanId: digit.repeat(16), name: "step" };
	const times = { startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000100000000" };
	const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: {}, spans: [{ ...span, ...times }] }] }];
	return await server.call("POST", "/v1/traces", { resourceSpans }, { ...headers, "x-project-name": project });
}

test("R65: a manager has people of the own project explained, a member only themselves", async () => {
	const [ada, bob] = [await server.signedIn("MEMBER"), await server.signedIn("MEMBER")];
	const set = [{ subject: { user: ada.username }, role: "manager" }];
	await server.call("PATCH", "/v1/projects/support/access", { access: "restricted", set }, admin.headers);
	await server.call("PATCH", "/v1/projects/pay-api/access", { access: "restricted" }, admin.headers);
	await server.call("PATCH", "/v1/projects/pay-web/access", { access: "open" }, admin.headers);
	const check = async (by: TestPrincipal, of: TestPrincipal, rest: string) =>
		await server.get(
			`/v1/access_check?subject=${encodeURIComponent(`user:${encodeGlobalId("User", of.userId)}`)}${rest}`,
			{ ...by.headers, ...problem },
		);
	const own = await check(ada, bob, "&project=support");
	expect([own.status, own.json.data]).toMatchObject([
		200,
		{ sees: false, role: null, counts_as: null, because: [], not: [{ code: "restricted" }] },
	]);
	expect((await check(ada, bob, "&project=pay-api")).json.code).toBe("project_not_found");
	expect((await check(ada, bob, "&project=pay-web")).json.code).toBe("project_role_needed");
	expect((await check(ada, bob, "")).json.code).toBe("subject_not_found");
	expect((await check(bob, ada, "&project=support")).json.code).toBe("project_not_found");
	const self = await check(bob, bob, "&project=pay-web");
	expect([self.status, self.json.data]).toMatchObject([200, { sees: true, because: [{ code: "open" }] }]);
	const { json } = await server.get("/v1/user/access", bob.headers);
	const names = json.data.map(({ home }: { home: { name: string } }) => home.name);
	expect(names).toContain("pay-web");
	expect(names).toContain("library");
	expect(names).not.toContain("support");
	expect(names).not.toContain("pay-api");
	const all = await check(admin, bob, "");
	expect(all.json.data).toContainEqual(
		expect.objectContaining({ home: expect.objectContaining({ name: "support" }), sees: false }),
	);
});

test("the admin secret is manager everywhere, and a key leads to the page that has it", async () => {
	const secret = { authorization: `Bearer ${TEST_SECRETS.SERVICE_ADMIN_SECRET}` };
	const { json } = await server.get("/v1/user/access", secret);
	expect(json.data[0]).toMatchObject({ role: "manager", reason: expect.stringContaining("The admin secret is ADMIN") });
	const owner = await server.signedIn("MEMBER");
	const data = { name: "reads", permissions: ["read"], projects: ["pay-web"] };
	const made = await server.call("POST", "/v1/user/api_keys", { data }, owner.headers);
	const url = `/v1/access_check?subject=api_key:${encodeURIComponent(made.json.data.id)}&project=default`;
	const linkFor = async ({ headers }: TestPrincipal) => (await server.get(url, headers)).json.data.not[0].link;
	expect([await linkFor(owner), await linkFor(admin)]).toEqual(["/settings/api-keys", "/settings/user-keys"]);
});

test("managers see the keys that are limited to their project", async () => {
	const key = await server.signedIn("MEMBER", "key");
	await server.context.db.write(async (transaction) => {
		const limits = { has_homes: 1, permissions: '["read"]' } as const;
		await transaction.updateTable("api_keys").set(limits).where("id", "=", key.rowId).execute();
		const project_id = ids.get("support") ?? 0;
		await transaction.insertInto("api_key_projects").values({ key_id: key.rowId, project_id }).execute();
	});
	const { json } = await server.get("/v1/projects/support/api_keys", admin.headers);
	expect(json.data).toContainEqual(
		expect.objectContaining({ name: "test", owner: key.username, permissions: ["read"], last_used_at: null }),
	);
	expect(JSON.stringify(json)).not.toContain(key.headers.authorization.slice(-20));
	const stranger = await server.signedIn("MEMBER");
	expect((await server.get("/v1/projects/support/api_keys", stranger.headers)).status).toBe(404);
});

test("a check is downloaded with all homes, and its cells are no formulas", async () => {
	await server.call("POST", "/v1/projects", { name: "=1+1" }, admin.headers);
	const [ada, bob] = [await server.signedIn("MEMBER"), await server.signedIn("MEMBER")];
	const url = `/v1/access_check/csv?subject=${encodeURIComponent(`user:${encodeGlobalId("User", ada.userId)}`)}`;
	const { text, status } = await server.get(url, admin.headers);
	expect(status, text).toBe(200);
	const [head, ...lines] = text.split("\r\n");
	expect(head).toBe("subject,type,home,sees,role,counts_as,read,ingest,annotate,write,manage,reason");
	expect(lines).toContainEqual(expect.stringMatching(/^[^,]+,project,'=1\+1,(true|false),/));
	expect(lines).toContainEqual(expect.stringContaining(",library,library,"));
	const one = await server.get(`${url}&project=%3D1%2B1&escape_formulas=false`, admin.headers);
	expect(one.text.split("\r\n")[1]).toContain(",project,=1+1,");
	expect((await server.get(url, bob.headers)).status).toBe(404);
});

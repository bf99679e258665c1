import { afterAll, beforeAll, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { PROJECT_ROLES } from "#storage/schema.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

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

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

interface Who {
	readonly subject: string;
	readonly headers: Record<string, string>;
}

const people: { user: TestPrincipal; key: TestPrincipal }[] = [];

/** Gives access, grants, teams, rules, policy and keys anew by chance. */
async function shuffle(random: () => number): Promise<Who[]> {
	const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
	const { db, auth, now } = server.context;
	const who: Who[] = [];
	await db.write(async (transaction) => {
		await noteRightsChange(transaction);
		const policy = { open_role_of_members: pick(["viewer", "annotator", "editor"] as const) };
		await transaction.updateTable("access_policy").set(policy).execute();
		for (const table of ["grants", "access_rules", "teams"] as const) await transaction.deleteFrom(table).execute();
		for (const id of ids.values()) {
			const access = pick(["open", "restricted", "restricted"] as const);
			await transaction.updateTable("projects").set({ access }).where("id", "=", id).execute();
		}
		const times = { created_at: now(), updated_at: now() };
		const team = await transaction
			.insertInto("teams")
			.values({ name: "Team", name_key: "team", description: null, source: "manual", external_groups: "[]", ...times })
			.returning("id")
			.executeTakeFirstOrThrow();
		const rule = await transaction
			.insertInto("access_rules")
			.values({ pattern: pick(["pay-*", "*", "support"]), access_of_new: null, description: null, ...times })
			.returning("id")
			.executeTakeFirstOrThrow();
		const toTeam = { user_id: null, team_id: team.id, role: pick(PROJECT_ROLES) };
		await transaction
			.insertInto("access_rule_grants")
			.values({ rule_id: rule.id, ...toTeam })
			.execute();
		const given = { created_at: now(), created_by: null };
		await transaction
			.insertInto("grants")
			.values({ project_id: pick([...ids.values()]), ...toTeam, role: pick(PROJECT_ROLES), ...given })
			.execute();
		for (const { user, key } of people) {
			const { userId: user_id } = user;
			if (random() < 0.4)
				await transaction
					.insertInto("team_members")
					.values({ team_id: team.id, user_id, source: "manual", created_at: now() })
					.execute();
			if (random() < 0.6)
				await transaction
					.insertInto("grants")
					.values({ project_id: pick([...ids.values()]), user_id, team_id: null, role: pick(PROJECT_ROLES), ...given })
					.execute();
			const permissions = pick([null, null, ["read"], ["ingest"], ["read", "annotate"], ["write"]]);
			const has_homes = pick([0, 0, 1] as const);
			await transaction
				.updateTable("api_keys")
				.set({
					permissions: permissions === null ? null : JSON.stringify(permissions),
					has_homes,
					expires_at_ms: random() < 0.15 ? 1 : null,
				})
				.where("id", "=", key.rowId)
				.execute();
			await transaction.deleteFrom("api_key_projects").where("key_id", "=", key.rowId).execute();
			if (has_homes === 1)
				await transaction
					.insertInto("api_key_projects")
					.values({ key_id: key.rowId, project_id: pick([...ids.values()]) })
					.execute();
			who.push({ subject: `user:${encodeGlobalId("User", user_id)}`, headers: user.headers });
			who.push({ subject: `api_key:${encodeGlobalId("UserApiKey", key.rowId)}`, headers: key.headers });
		}
	});
	auth.rights.invalidate();
	auth.principals.invalidate();
	return who;
}

/** What real requests answer to somebody at a project. */
async function tryAll(project: string, { subject, headers }: Who): Promise<Record<string, boolean>> {
	const digit = String(PROJECTS.indexOf(project as "support") + 1);
	const identifier = subject;
	const annotation = { span_id: digit.repeat(16), name: "quality", annotator_kind: "HUMAN", identifier };
	const { access } = (await server.get(`/v1/projects/${project}/access`, admin.headers)).json.data;
	const traces = `/v1/projects/${project}/traces?start_time=1970-01-01&end_time=1970-01-02`;
	const sent = await exportSpan(project, headers, digit);
	const annotated = await server.call(
		"POST",
		"/v1/span_annotations?sync=true",
		{ data: [{ ...annotation, result: { label: "good" } }] },
		headers,
	);
	return {
		read: (await server.get(`/v1/projects/${project}`, headers)).status === 200,
		ingest: sent.status === 200,
		annotate: annotated.status === 200,
		write: (await server.call("DELETE", traces, undefined, headers)).status === 204,
		manage: (await server.call("PATCH", `/v1/projects/${project}/access`, { access }, headers)).status === 200,
	};
}

test("R64: check and real requests agree, for random states of roles, teams, rules and keys", async () => {
	for (const role of ["ADMIN", "MEMBER", "MEMBER", "VIEWER"] as const) {
		const user = await server.signedIn(role);
		const key = await server.signedIn(role, "key");
		await server.context.db.write((transaction) =>
			transaction.updateTable("api_keys").set({ user_id: user.userId }).where("id", "=", key.rowId).execute(),
		);
		people.push({ user, key });
	}
	const seen = new Set<string>();
	for (let seed = 1; seed <= 5; seed++) {
		const who = await shuffle(randomOf(seed));
		for (const project of PROJECTS) {
			for (const each of who) {
				const url = `/v1/access_check?subject=${encodeURIComponent(each.subject)}&project=${project}`;
				const { status, json, text } = await server.get(url, admin.headers);
				expect(status, text).toBe(200);
				const { may, sees, because, not } = json.data;
				expect(await tryAll(project, each), `seed ${seed} ${each.subject} ${project} ${text}`).toEqual(may);
				expect(sees).toBe(may.read);
				expect((sees ? because : not).length, text).toBeGreaterThan(0);
				seen.add(JSON.stringify(may));
			}
		}
	}
	// Nothing, reading, and each way of writing have occurred.
	expect(seen.size).toBeGreaterThan(5);
});

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

import { afterAll, beforeAll, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const PATH = "/v1/dashboards";
const PROBLEM = { accept: "application/problem+json" };
const BUILT_IN = ["overview", "cost", "latency", "errors", "quality", "tools", "users", "ingest"];

let on: TestApp;
let off: TestApp;
let admin: TestPrincipal;
let member: TestPrincipal;
let viewer: TestPrincipal;

beforeAll(async () => {
	[on, off] = await Promise.all([openTestApp({ SERVICE_ENABLE_AUTH: "true" }), openTestApp()]);
	[admin, member, viewer] = [await on.signedIn("ADMIN"), await on.signedIn("MEMBER"), await on.signedIn("VIEWER")];
	for (const name of ["chat", "search"]) await on.call("POST", "/v1/projects", { name }, admin.headers);
	await off.send(
		["a", "a", "b"].map((model, index) => ({
			...{ spanId: `${index + 1}`.padStart(16, "0"), startTimeUnixNano: `${T0}000000000` },
			endTimeUnixNano: `${T0 + 1}000000000`,
			attributes: { "llm.model_name": text(model), "openinference.span.kind": text("LLM") },
		})),
		"chat",
	);
});
afterAll(async () => {
	await on[Symbol.asyncDispose]();
	await off[Symbol.asyncDispose]();
});

const widget = (key: string, at: object = {}, query: object = { measure: ["count"] }) => ({
	...{ key, kind: "bar", title: key, query, layout: { x: 0, y: 0, w: 6, h: 4, ...at } },
});
const dashboard = (more: object = {}) => ({ name: "Ours", widgets: [widget("a"), widget("b", { x: 6 })], ...more });

const post = (body: object, who = member) => on.call("POST", PATH, body, { ...who.headers, ...PROBLEM });
const get = (id: string, who = member) => on.get(`${PATH}/${id}`, { ...who.headers, ...PROBLEM });
const put = (id: string, body: object, who = member, headers = {}) =>
	on.call("PUT", `${PATH}/${id}`, body, { ...who.headers, ...PROBLEM, ...headers });
const remove = (id: string, who = member) =>
	on.call("DELETE", `${PATH}/${id}`, undefined, { ...who.headers, ...PROBLEM });
const places = (answer: { json: { errors: { loc: unknown[]; type: string }[] } }) =>
	answer.json.errors.map(({ loc, type }) => `${loc.join(".")} ${type}`);

async function create(body: object, who = member) {
	const { status, text: answer, json } = await post(body, who);
	expect([status, answer]).toEqual([201, expect.anything()]);
	return json.data;
}

async function list(query = "", who = member): Promise<{ id: string; name: string }[]> {
	const { json } = await on.get(`${PATH}?limit=1000&${query}`, who.headers);
	return json.data;
}

test("a dashboard is made, read, replaced by its entity tag and deleted", async () => {
	const made = await create(dashboard({ project_id: "chat", refresh_seconds: 60, controls: ["model"] }));
	expect(made).toMatchObject({
		...{ name: "Ours", description: null, visibility: "shared", range: "7d", time_zone: null, refresh_seconds: 60 },
		...{ filter: null, controls: ["model"], owner_id: encodeGlobalId("User", member.userId), is_built_in: false },
		updated_by: { id: encodeGlobalId("User", member.userId), username: member.username },
	});
	expect(made.widgets[0]).toEqual({ ...widget("a"), display: {}, text: null });
	const read = await get(made.id, viewer);
	expect(read.json.data).toEqual(made);
	const body = dashboard({ name: "Renamed", widgets: [widget("c", {}, { measure: "count", limit: "5" })] });
	const replaced = await put(made.id, body, member, { "if-match": String(read.headers["etag"]) });
	expect(replaced.json.data).toMatchObject({
		...{ id: made.id, name: "Renamed", project_id: made.project_id, created_at: made.created_at, controls: [] },
		widgets: [{ key: "c", query: { measure: ["count"], limit: 5 } }],
	});
	expect(replaced.headers["etag"]).not.toBe(read.headers["etag"]);
	const moved = await put(made.id, { ...body, project_id: "search" });
	expect((await list("project=search")).map(({ id }) => id)).toContain(moved.json.data.id);
	expect((await put(made.id, { ...body, project_id: null })).json.data.project_id).toBeNull();
	expect((await remove(made.id)).status).toBe(204);
	expect((await get(made.id)).json).toMatchObject({ status: 404, code: "dashboard_not_found" });
});

test("what is wrong with a dashboard is said with its place", async () => {
	const overlapping = await post(dashboard({ widgets: [widget("left"), widget("right", { x: 5, y: 3 })] }));
	expect(places(overlapping)).toEqual(["body.widgets.1.layout widgets_overlap"]);
	expect(overlapping.text).toContain("The widgets left and right overlap");
	const wrong = await post({
		...{ name: "Wrong", range: "1y", time_zone: "Mars/Base", filter: "model ==", controls: ["modle"], colour: "red" },
		widgets: [widget("a", { x: 8 })],
	});
	expect(places(wrong)).toEqual(["body.widgets.0.layout value_error", "body.colour extra_forbidden"]);
	const questions = await post({
		...{ name: "Wrong", range: "1y", time_zone: "Mars/Base", filter: "model ==", controls: ["modle"] },
		widgets: [
			widget("a", {}, { measure: ["cuont"] }),
			widget("b", { y: 4 }, { fliter: "model == 'a'" }),
			widget("c", { y: 8 }, { filter: "model ==" }),
			widget("c", { y: 12 }, { bucket: "minute", range: "90d" }),
			{ ...widget("e", { y: 16 }), kind: "text" },
			{ ...widget("f", { y: 20 }), kind: "heatmap", text: "both" },
			widget("g", { y: 24 }, { projects: ["nowhere"], of: "traces" }),
		],
	});
	expect(places(questions)).toEqual([
		"body.time_zone invalid_time_zone",
		"body.range invalid_range",
		"body.filter invalid_filter",
		"body.controls.0 unknown_group",
		"body.widgets.0.query.measure unknown_measure",
		"body.widgets.1.query.fliter extra_forbidden",
		"body.widgets.2.query.filter invalid_filter",
		"body.widgets.3.query.bucket too_many_buckets",
		"body.widgets.4.text missing",
		"body.widgets.4.query extra_forbidden",
		"body.widgets.5.text extra_forbidden",
		"body.widgets.5.query.distribution missing",
		"body.widgets.3.key duplicate_key",
	]);
	const exports = { of: "ingest", projects: ["chat"] };
	expect(places(await post(dashboard({ project_id: "chat", widgets: [widget("a", {}, exports)] })))).toEqual([
		...["body.widgets.0.query.projects extra_forbidden", "body.widgets.0.query.of invalid_parameter"],
		"body.widgets.0.query.projects invalid_parameter",
	]);
	const unknown = await post(dashboard({ widgets: [widget("a", {}, { projects: ["chat", "nowhere"] })] }));
	expect(places(unknown)).toEqual(["body.widgets.0.query.projects.1 unknown_project"]);
	const many = Array.from({ length: 61 }, (_, index) => widget(`w${index}`, { y: 4 * index }));
	expect(places(await post(dashboard({ widgets: many })))).toEqual(["body.widgets too_long"]);
	const text = "a".repeat(513 * 1_024);
	expect((await post({ name: "Large", description: text })).status).toBe(413);
});

test("W22 a new project has eight built-in dashboards whose questions are all answered, and which nobody changes", async () => {
	for (const query of ["", "project=chat"]) {
		const listed = (await list(query)).slice(0, BUILT_IN.length);
		expect(listed.map(({ id }) => id)).toEqual(BUILT_IN.map((key) => `builtin:${key}`));
		for (const { id } of listed) {
			const { json } = await on.get(`${PATH}/${encodeURIComponent(id)}?${query}`, viewer.headers);
			const { widgets, range, project_id } = json.data;
			const path = project_id === null ? "/v1/analytics" : `/v1/projects/${project_id}/analytics`;
			for (const { key, kind, query: asked } of widgets) {
				const search = new URLSearchParams({ range });
				if (kind === "time_series") search.set("bucket", "auto");
				for (const [name, value] of Object.entries(asked))
					for (const each of [value].flat()) search.append(name, String(each));
				const answer = await on.get(`${path}?${search}`, viewer.headers);
				expect([id, key, answer.status, answer.text]).toEqual([id, key, 200, expect.anything()]);
			}
			// As an own one it is as good as any other.
			const { id: _id, owner_id: _owner, created_at: _created, updated_at: _updated, ...rest } = json.data;
			const { updated_by: _by, is_built_in: _built, ...copy } = rest;
			expect((await remove((await create({ ...copy, name: "Copy" })).id)).status).toBe(204);
		}
	}
	for (const answer of [await put("builtin:cost", dashboard()), await remove("builtin:cost", admin)])
		expect(answer.json).toMatchObject({ status: 403, code: "built_in" });
	expect((await put("builtin:nothing", dashboard())).status).toBe(404);
	expect((await get("builtin:nothing")).status).toBe(404);
});

test("lists have built-in ones first and are paged to the end, also while one of them is deleted", async () => {
	const made = [];
	for (const name of ["List one", "List two", "List three"]) made.push(await create(dashboard({ name })));
	const first = await on.get(`${PATH}?name_contains=lIsT&limit=1`, member.headers);
	expect(first.json.data.map(({ name }: { name: string }) => name)).toEqual(["List three"]);
	await remove(made[1].id);
	const rest = await on.get(
		`${PATH}?name_contains=list&cursor=${encodeURIComponent(first.json.next_cursor)}`,
		member.headers,
	);
	expect(rest.json).toMatchObject({ data: [{ name: "List one", widget_count: 2 }], next_cursor: null });
	expect(rest.json.data[0].widgets).toBeUndefined();
	const pages = await on.get(`${PATH}?limit=5`, member.headers);
	expect(pages.json.next_cursor).toBe("builtin:tools");
	expect((await on.get(`${PATH}?cursor=nonsense`, member.headers)).status).toBe(422);
	expect((await on.get(`${PATH}?name=list`, member.headers)).status).toBe(422);
});

test("W26 who saves second is told who was first and when, and nothing is lost", async () => {
	const made = await create(dashboard());
	const etag = String((await get(made.id)).headers["etag"]);
	const first = await put(made.id, dashboard({ name: "First" }), admin, { "if-match": etag });
	const second = await put(made.id, dashboard({ name: "Second" }), member, { "if-match": etag });
	expect(second.json).toMatchObject({
		...{ status: 412, code: "precondition_failed" },
		...{ changed_by: { username: admin.username }, changed_at: first.json.data.updated_at },
	});
	expect((await get(made.id)).json.data.name).toBe("First");
	const stale = await on.call("DELETE", `${PATH}/${made.id}`, undefined, { ...member.headers, "if-match": etag });
	expect(stale.status).toBe(412);
});

test("W27 a private dashboard is there for its owner only, and goes with the account", async () => {
	const owner = await on.signedIn("MEMBER");
	const made = await create(dashboard({ name: "Mine", visibility: "private" }), owner);
	const shared = await create(dashboard({ name: "Left behind" }), owner);
	const names = async (who: TestPrincipal) => (await list("name_contains=mine", who)).map(({ id }) => id);
	expect(await names(owner)).toEqual([made.id]);
	const key = await on.signedIn("SYSTEM");
	for (const who of [admin, member, key]) {
		expect(await names(who)).toEqual([]);
		for (const answer of [await get(made.id, who), await put(made.id, dashboard(), who), await remove(made.id, who)])
			expect(answer.json).toMatchObject({ status: 404, code: "dashboard_not_found" });
		expect((await on.get(`${PATH}/${made.id}/export`, who.headers)).status).toBe(404);
	}
	expect(places(await post(dashboard({ visibility: "private" }), key))).toEqual([
		"body.visibility no_private_dashboards",
	]);
	const user = encodeGlobalId("User", owner.userId);
	expect((await on.call("DELETE", `/v1/users/${user}`, undefined, admin.headers)).status).toBe(204);
	const rows = await on.context.db.read.selectFrom("dashboards").select(["name", "owner_id", "updated_by"]).execute();
	expect(rows.filter(({ name }) => ["Mine", "Left behind"].includes(name))).toEqual([
		{ name: "Left behind", owner_id: null, updated_by: null },
	]);
	expect((await get(shared.id)).json.data).toMatchObject({ owner_id: null, updated_by: null });
	expect((await remove(shared.id)).json).toMatchObject({ status: 403, code: "not_own_dashboard" });
	expect((await remove(shared.id, admin)).status).toBe(204);
});

test("members change what is shared, but only its owner hides it, and only owner and admins delete it", async () => {
	const made = await create(dashboard(), admin);
	expect((await put(made.id, dashboard({ name: "Changed" }))).json.data).toMatchObject({
		...{ name: "Changed", owner_id: encodeGlobalId("User", admin.userId) },
		updated_by: { username: member.username },
	});
	for (const answer of [await put(made.id, dashboard({ visibility: "private" })), await remove(made.id)])
		expect(answer.json).toMatchObject({ status: 403, code: "not_own_dashboard" });
	for (const answer of [await post(dashboard(), viewer), await put(made.id, dashboard(), viewer)])
		expect(answer.status).toBe(403);
	expect((await put(made.id, dashboard({ visibility: "private" }), admin)).json.data.visibility).toBe("private");
	expect((await get(made.id)).status).toBe(404);
});

test("without authentication all are shared, and stay as private as they were for the time after", async () => {
	const made = await off.call("POST", PATH, dashboard());
	expect(made.json.data).toMatchObject({ visibility: "shared", owner_id: null, updated_by: null });
	const refused = await off.call("POST", PATH, dashboard({ visibility: "private" }), PROBLEM);
	expect(places(refused)).toEqual(["body.visibility no_private_dashboards"]);
	const { id } = made.json.data;
	await off.context.db.write((transaction) =>
		transaction.updateTable("dashboards").set({ visibility: "private" }).execute(),
	);
	expect((await off.get(`${PATH}/${id}`)).json.data.visibility).toBe("shared");
	expect((await off.call("PUT", `${PATH}/${id}`, dashboard())).status).toBe(200);
	const [row] = await off.context.db.read.selectFrom("dashboards").select("visibility").execute();
	expect(row?.visibility).toBe("private");
	await off.call("DELETE", `${PATH}/${id}`);
});

test("projects that somebody does not see are not named to them, and not lost when they save", async () => {
	const secret = await on.call("POST", "/v1/projects", { name: "secret" }, admin.headers);
	const query = { group_by: ["project"], projects: ["chat", "secret"] };
	const made = await create(dashboard({ name: "Of both", widgets: [widget("a", {}, query)] }), admin);
	const inside = await create(dashboard({ name: "Inside", project_id: "secret" }), admin);
	await on.context.db.write(async (transaction) => {
		const id = decodeGlobalId(secret.json.data.id, "Project") ?? 0;
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", id).execute();
		await noteRightsChange(transaction);
	});
	on.context.auth.rights.invalidate();
	const seen = await get(made.id);
	expect(seen.json.data.widgets[0].query.projects).toEqual(["chat"]);
	expect((await on.get(`${PATH}/${made.id}/export`, member.headers)).text).not.toContain("secret");
	expect((await get(inside.id)).status).toBe(404);
	expect((await list()).map(({ id }) => id)).not.toContain(inside.id);
	const save = await put(made.id, dashboard({ widgets: [widget("a", {}, { ...query, projects: ["chat"] })] }));
	expect([save.status, save.json.data.widgets[0].query.projects]).toEqual([200, ["chat"]]);
	expect((await get(made.id, admin)).json.data.widgets[0].query.projects).toEqual(["chat", "secret"]);
	const named = await post(dashboard({ widgets: [widget("a", {}, query)] }));
	const absent = await post(dashboard({ widgets: [widget("a", {}, { projects: ["chat", "no such"] })] }));
	expect(places(named)).toEqual(places(absent));
	expect((await post(dashboard({ project_id: "secret" }))).status).toBe(404);
	expect((await put(made.id, dashboard({ project_id: "secret" }))).status).toBe(404);
});

test("W25 an exported dashboard answers elsewhere as it did here, and a bad file makes nothing", async () => {
	const query = { of: "spans", measure: ["count"], group_by: ["model"], start_time: T0 - 60, end_time: T0 + 60 };
	const times = { ...query, start_time: String(query.start_time), end_time: String(query.end_time) };
	const made = await create(
		dashboard({
			...{ name: "Portable", description: "d", filter: "latency_ms > 1", controls: ["model"], time_zone: "browser" },
			widgets: [
				widget("a", {}, times),
				{ key: "t", kind: "text", title: "", text: "# Hello", layout: { x: 6, y: 0, w: 6, h: 2 } },
			],
		}),
	);
	const file = await on.get(`${PATH}/${made.id}/export`, member.headers);
	expect(file.headers["content-disposition"]).toContain('filename="Portable.dashboard.json"');
	expect(Object.keys(file.json)).not.toContain("id");
	const imported = await off.call("POST", `${PATH}/import?project=chat`, file.json);
	expect(imported.status).toBe(201);
	const own = ["id", "project_id", "owner_id", "created_at", "updated_at", "updated_by"];
	const portable = (one: object) => Object.fromEntries(Object.entries(one).filter(([name]) => !own.includes(name)));
	expect(portable(imported.json.data)).toEqual(portable(made));
	const again = await off.call("POST", `${PATH}/import?project=chat`, file.json);
	expect(again.json.data.name).toBe("Portable (2)");
	const builtIn = await off.get(`${PATH}/builtin:cost/export?project=chat`);
	expect((await off.call("POST", `${PATH}/import?project=chat`, builtIn.json)).json.data.name).toBe(
		"Cost and tokens (2)",
	);
	const asked = new URLSearchParams(imported.json.data.widgets[0].query);
	const { json } = await off.get(`/v1/projects/chat/analytics?${asked}`);
	expect(json.data.series.map(({ totals }: { totals: object }) => totals)).toEqual([{ count: 2 }, { count: 1 }]);

	const count = async () => (await off.get(`${PATH}?limit=1000`)).json.data.length;
	const before = await count();
	const bad = structuredClone(file.json);
	bad.widgets[0].query.measure = ["cuont"];
	const import_ = (body: object) => off.call("POST", `${PATH}/import`, body, PROBLEM);
	expect(places(await import_(bad))).toEqual(["body.widgets.0.query.measure unknown_measure"]);
	expect(places(await import_({ ...file.json, spanward_dashboard: 2 }))).toEqual([
		"body.spanward_dashboard literal_error",
	]);
	expect(places(await import_({ ...file.json, owner_id: "VXNlcjox" }))).toEqual(["body.owner_id extra_forbidden"]);
	expect(await count()).toBe(before);
});

test("there are at most a thousand", async () => {
	await off.context.db.write(async (transaction) => {
		const { count } = await transaction
			.selectFrom("dashboards")
			.select((of) => of.fn.countAll<number>().as("count"))
			.executeTakeFirstOrThrow();
		const row = {
			name: "n",
			definition: "{}",
			visibility: "shared",
			widget_count: 0,
			created_at: 1,
			updated_at: 1,
		} as const;
		await transaction
			.insertInto("dashboards")
			.values(
				Array.from({ length: 1_000 - Number(count) }, () => ({
					...row,
					project_id: null,
					description: null,
					owner_id: null,
					updated_by: null,
				})),
			)
			.execute();
	});
	const refused = await off.call("POST", PATH, dashboard(), PROBLEM);
	expect(refused.json).toMatchObject({ status: 409, code: "too_many_dashboards" });
	await off.context.db.write((transaction) => transaction.deleteFrom("dashboards").where("name", "=", "n").execute());
});

import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "#http/app-type.ts";
import type { CallUse, ModelCaller } from "#models/call-model.ts";
import { ModelError } from "#models/model-error.ts";
import { buildAppWithModels, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { insertConnection } from "./test-connections.ts";

const used: CallUse[] = [];
const models: ModelCaller = {
	async call(_connection, _request, use) {
		used.push(use);
		const error = new ModelError("calls_off", "Nothing is called here.");
		return { error, partial: undefined, costUsd: undefined, latencyMs: 0, trace: undefined, attempts: 0 };
	},
};

let server: TestApp;
let app: App;
let admin: TestPrincipal;
let editor: TestPrincipal;
let stranger: TestPrincipal;
let connection: string;

beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_PLAYGROUND_PROJECT_NAME: "trying out" });
	app = await buildAppWithModels(server, models);
	admin = await server.signedIn("ADMIN");
	editor = await server.signedIn("MEMBER");
	stranger = await server.signedIn("MEMBER");
	connection = await insertConnection(server, "one");
});
afterAll(async () => {
	await app.close();
	await server[Symbol.asyncDispose]();
});

async function makeRestricted(name: string, role: "editor" | "viewer" = "editor"): Promise<void> {
	const made = await server.call("POST", "/v1/projects", { name }, admin.headers);
	expect(made.status, made.text).toBe(200);
	await restrict(name, [{ subject: { user: editor.email }, role }]);
}

async function restrict(name: string, set: object[], more: object = {}): Promise<void> {
	const url = `/v1/projects/${encodeURIComponent(name)}/access`;
	const { status, text } = await server.call("PATCH", url, { access: "restricted", set, ...more }, admin.headers);
	expect(status, text).toBe(200);
}

async function run(
	more: object,
	by = editor,
	variant: object = { model: "m", messages: [{ role: "user", content: "x" }] },
) {
	used.splice(0);
	const response = await app.inject({
		...{ method: "POST", url: "/v1/playground/runs" },
		headers: { ...by.headers, accept: "application/problem+json" },
		payload: { variants: [{ connection_id: connection, ...variant }], ...more },
	});
	return { status: response.statusCode, text: response.body, json: response.json() };
}

const projectOf = async (name: string, { headers } = editor) =>
	(await server.get(`/v1/projects/${encodeURIComponent(name)}`, headers)).status;

test("runs go to the project of the playground, or to the one that they name", async () => {
	await server.call("POST", "/v1/projects", { name: "open one" }, admin.headers);
	expect((await run({})).json.project).toBe("trying out");
	expect((await run({ source: "open one" })).json.project).toBe("trying out");
	expect(await projectOf("trying out", stranger)).toBe(200);
	expect((await run({ project: "open one" })).json.project).toBe("open one");
	expect(used[0]?.project).toMatchObject({ name: "open one" });
	expect(await run({ project: "none" })).toMatchObject({ status: 404, json: { code: "project_not_found" } });
});

test("what begins with a restricted project stays with those who see it", async () => {
	await makeRestricted("vault");
	const { status, json, text } = await run({ source: "vault" });
	expect([status, json.project], text).toEqual([200, "playground of vault"]);
	expect(used[0]?.project).toMatchObject({ name: "playground of vault" });
	expect([await projectOf("playground of vault"), await projectOf("playground of vault", stranger)]).toEqual([
		200, 404,
	]);
	const { json: list } = await server.get("/v1/projects?limit=1000", admin.headers);
	expect(list.data.map(({ name }: { name: string }) => name)).not.toContain("playground of vault");
	// As what never was.
	const hidden = await run({ source: "vault" }, stranger);
	expect([hidden.status, hidden.json.code]).toEqual([404, "project_not_found"]);
	expect(hidden.json.detail).toBe((await run({ source: "never" }, stranger)).json.detail.replace("never", "vault"));

	const own = await server.call(
		"PATCH",
		`/v1/projects/${encodeURIComponent("playground of vault")}/access`,
		{ access: "open" },
		{ ...admin.headers, accept: "application/problem+json" },
	);
	expect([own.status, own.json.code]).toEqual([409, "access_follows"]);
	// A later change of the project counts for it, too.
	await restrict("vault", [{ subject: { user: stranger.email }, role: "viewer" }], {
		remove: [{ user: editor.email }],
	});
	expect([await projectOf("playground of vault"), await projectOf("playground of vault", stranger)]).toEqual([
		404, 200,
	]);
	expect(await run({ source: "vault" }, stranger)).toMatchObject({
		status: 403,
		json: { code: "project_role_needed" },
	});

	expect((await server.call("DELETE", "/v1/projects/vault", undefined, admin.headers)).status).toBe(204);
	expect(await projectOf("playground of vault", admin)).toBe(404);
});

test("nobody can take the name beforehand", async () => {
	await makeRestricted("safe");
	await server.call("POST", "/v1/projects", { name: "playground of safe" }, stranger.headers);
	const { json } = await run({ source: "safe" });
	expect(json.project).toMatch(/^playground of safe #\d+$/);
	expect([await projectOf(json.project), await projectOf(json.project, stranger)]).toEqual([200, 404]);
	expect((await run({ source: "safe" })).json.project).toBe(json.project);
});

test("it goes to where more people see it only when that is said, which is audited", async () => {
	await makeRestricted("drawer");
	const wider = { source: "drawer", project: "default" };
	expect(await run(wider)).toMatchObject({ status: 409, json: { code: "wider_access" } });
	expect(used).toEqual([]);
	const { status, json } = await run({ ...wider, allow_wider_access: true });
	expect([status, json.project]).toEqual([200, "default"]);
	const { json: audit } = await server.get("/v1/audit_events?limit=100", admin.headers);
	expect(audit.data).toContainEqual(
		expect.objectContaining({ action: "access.widened", details: expect.objectContaining({ action: "playground" }) }),
	);
});

test("a prompt of a restricted project counts as well, and of two projects one has to be chosen", async () => {
	await makeRestricted("cellar");
	await makeRestricted("attic");
	const version = {
		...{ model_provider: "OPENAI", model_name: "m", template_type: "CHAT", template_format: "NONE" },
		template: { type: "chat", messages: [{ role: "user", content: "x" }] },
		invocation_parameters: { type: "openai", openai: {} },
	};
	const made = await server.call(
		"POST",
		"/v1/prompts",
		{ prompt: { name: "of-cellar", project: "cellar" }, version },
		editor.headers,
	);
	const variant = { prompt_version_id: made.json.data.id };
	expect((await run({}, editor, variant)).json.project).toBe("playground of cellar");
	expect(await run({}, stranger, variant)).toMatchObject({ status: 404, json: { code: "prompt_version_not_found" } });
	expect(await run({ source: "attic" }, editor, variant)).toMatchObject({
		...{ status: 422, json: { code: "several_restricted_sources" } },
	});
});

test("a key that is limited to a project says that one", async () => {
	const data = { name: "limited", projects: ["open one"], permissions: ["read", "write"] };
	const { json } = await server.call("POST", "/v1/user/api_keys", { data }, editor.headers);
	const key = { ...editor, headers: { authorization: `Bearer ${json.data.key}` } };
	expect(await run({}, key)).toMatchObject({ status: 422, json: { code: "playground_project_closed" } });
	expect(await run({ project: "default" }, key)).toMatchObject({ status: 404, json: { code: "project_not_found" } });
	expect((await run({ project: "open one", source: "open one" }, key)).json.project).toBe("open one");
	const reading = await server.call(
		"POST",
		"/v1/user/api_keys",
		{ data: { ...data, permissions: ["read"] } },
		editor.headers,
	);
	const reader = { ...editor, headers: { authorization: `Bearer ${reading.json.data.key}` } };
	expect((await run({ project: "open one" }, reader)).status).toBe(403);
});

test("who may not write to the project of the playground says where the traces go", async () => {
	await restrict("trying out", []);
	expect(await run({})).toMatchObject({ status: 422, json: { code: "playground_project_closed" } });
	expect((await run({ project: "open one" })).status).toBe(200);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { decodeGlobalId, encodeGlobalId } from "#http/global-ids.ts";
import type { ProjectRole } from "#storage/schema.ts";
import { openTestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
afterAll(() => server[Symbol.asyncDispose]());

const UPLOAD = "/v1/datasets/upload?sync=true";
const TIMES = { start_time: "2026-01-02T03:00:00Z", end_time: "2026-01-02T03:00:01Z" };
const VERSION = {
	...{ model_provider: "OPENAI", model_name: "gpt-4o", template_type: "CHAT", template_format: "MUSTACHE" },
	template: { type: "chat", messages: [{ role: "user", content: "hello" }] },
	invocation_parameters: { type: "openai", openai: {} },
};
const HEX = { open: "a".repeat(16), secret: "b".repeat(16), moving: "c".repeat(16) };

/** An admin; a member who edits `payments`; one who only reads it; one without any grant. */
let [admin, editor, reader, stranger]: TestPrincipal[] = [];
let shop: number;
let payments: number;

beforeAll(async () => {
	admin = await server.signedIn("ADMIN");
	for (const [project, id] of [
		["shop", HEX.open],
		["payments", HEX.secret],
		["payments", HEX.moving],
	] as const) {
		await server.call("POST", "/v1/projects", { name: project }, by(admin));
		const span = { name: "step", context: { trace_id: id.repeat(2), span_id: id }, span_kind: "LLM", ...TIMES };
		const data = [{ ...span, status_code: "OK", attributes: { "input.value": `asked ${id}` } }];
		await succeed("POST", `/v1/projects/${project}/spans`, { data }, admin);
	}
	[shop, payments] = [await rowOf("shop"), await rowOf("payments")];
	[editor, reader, stranger] = [
		await server.signedIn("MEMBER"),
		await server.signedIn("MEMBER"),
		await server.signedIn("MEMBER"),
	];
	await change(async (transaction) => {
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", payments).execute();
	});
	await grant(editor, "editor", payments);
	await grant(reader, "viewer", payments);
});

function by(principal: TestPrincipal | undefined) {
	return { accept: "application/problem+json, */*", ...principal?.headers };
}

async function rowOf(project: string): Promise<number> {
	const { json } = await server.get(`/v1/projects/${project}`, by(admin));
	return decodeGlobalId(json.data.id, "Project") ?? 0;
}

async function change(work: Parameters<typeof server.context.db.write>[0]): Promise<void> {
	await server.context.db.write(async (transaction) => {
		await work(transaction);
		await noteRightsChange(transaction);
	});
	server.context.auth.rights.invalidate();
}

async function grant(to: TestPrincipal | undefined, role: ProjectRole, projectId: number | null): Promise<void> {
	await change(async (transaction) => {
		const subject = { user_id: to?.userId ?? 0, team_id: null, created_by: null };
		await transaction
			.insertInto("grants")
			.values({ ...subject, project_id: projectId, role, created_at: 1 })
			.execute();
	});
}

async function succeed(
	method: "POST" | "PATCH" | "PUT" | "DELETE",
	url: string,
	body: unknown,
	principal: TestPrincipal | undefined,
) {
	const { status, text, json } = await server.call(method, url, body, by(principal));
	if (status >= 300) throw new Error(`${method} ${url} answered ${status}: ${text}`);
	return json?.data;
}

/** Uploads a dataset of one example. @returns its path */
async function upload(name: string, more: object, principal: TestPrincipal | undefined): Promise<string> {
	const { dataset_id } = await succeed("POST", UPLOAD, { name, inputs: [{ q: 1 }], ...more }, principal);
	return `/v1/datasets/${dataset_id}`;
}

async function statusOf(url: string, principal: TestPrincipal | undefined): Promise<number> {
	return (await server.get(url, by(principal))).status;
}

async function namesOf(url: string, principal: TestPrincipal | undefined): Promise<string[]> {
	const { json } = await server.get(url, by(principal));
	return json.data.map(({ name }: { name: string }) => name);
}

describe("R12 a dataset of a restricted project's spans", () => {
	test("lives in that project, and so do its experiments and what is made for them", async () => {
		const url = await upload("refunds", { span_ids: [HEX.secret] }, editor);
		const { json } = await server.get(url, by(editor));
		expect(json.data.project_id).toBe(encodeGlobalId("Project", payments));
		const experiment = await succeed("POST", `${url}/experiments`, { name: "first" }, editor);
		const project = `/v1/projects/${experiment.project_name}`;
		const listed = ["/v1/datasets", "/v1/experiments", "/v1/projects?include_experiment_projects=true"];
		for (const path of [url, `${url}/examples`, `/v1/experiments/${experiment.id}`, project]) {
			expect(await statusOf(path, reader)).toBe(200);
			expect(await statusOf(path, stranger)).toBe(404);
		}
		const named = ["refunds", "first", experiment.project_name];
		for (const [position, path] of listed.entries()) {
			expect(await namesOf(path, reader)).toContain(named[position]);
			expect(await namesOf(path, stranger)).not.toContain(named[position]);
		}
		const asReader = await server.call("PATCH", url, { description: "new" }, by(reader));
		expect(asReader.json).toMatchObject({ code: "project_role_needed", needed: "editor", own: "viewer" });
	});

	test("is in another home only when an editor of both says so", async () => {
		const url = await upload("mixed", {}, editor);
		const body = { span_ids: [HEX.secret, HEX.open] };
		const refused = await server.call("POST", `${url}/examples/from_spans`, body, by(editor));
		expect(refused.status).toBe(409);
		expect(refused.json).toMatchObject({
			...{ code: "wider_access", from: encodeGlobalId("Project", payments), to: null },
			// The stranger, as the others see both.
			more_people: 1,
		});
		const more = { name: "mixed", action: "append", inputs: [{ q: 2 }], span_ids: [HEX.secret] };
		expect((await server.call("POST", UPLOAD, more, by(editor))).json).toMatchObject({ code: "wider_access" });
		const leave = { allow_wider_access: true };
		const asReader = await server.call("POST", `${url}/examples/from_spans`, { ...body, ...leave }, by(reader));
		expect(asReader.json).toMatchObject({ code: "project_role_needed", own: "viewer" });
		const run = {
			...{ action: "add_to_dataset", kind: "span", selection: { ids: [HEX.secret] } },
			...{ dataset_id: url.slice("/v1/datasets/".length), ...leave },
		};
		const runByReader = await server.call("POST", "/v1/projects/payments/bulk_runs", run, by(reader));
		expect(runByReader.json).toMatchObject({ code: "project_role_needed", own: "viewer" });
		await succeed("POST", `${url}/examples/from_spans`, { ...body, ...leave }, editor);
		await succeed("POST", `${UPLOAD}&allow_wider_access=true`, more, editor);

		const sources = async (principal: TestPrincipal | undefined) => {
			const { json } = await server.get(`${url}/examples`, by(principal));
			return json.data.examples.map(({ source }: { source: { span_id: string } | null }) => source?.span_id ?? null);
		};
		expect(await sources(reader)).toEqual([null, HEX.secret, HEX.open, HEX.secret]);
		expect(await sources(stranger)).toEqual([null, null, HEX.open, null]);
		const { json } = await server.get("/v1/audit_events?action=access.widened", by(admin));
		expect(json.data.map(({ target, details }: Record<string, unknown>) => ({ target, details }))).toEqual(
			["upload", "from_spans"].map((action) => ({
				target: { type: "dataset", id: url.slice("/v1/datasets/".length), name: "mixed" },
				details: { action, from: encodeGlobalId("Project", payments), to: "library" },
			})),
		);
	});

	test("of which one span is hidden is made as if that did not exist", async () => {
		const url = await upload("guess", { span_ids: [HEX.secret] }, stranger);
		const { json } = await server.get(url, by(stranger));
		expect(json.data).not.toHaveProperty("project_id");
		const body = { span_ids: [HEX.secret] };
		expect((await server.call("POST", `${url}/examples/from_spans`, body, by(stranger))).status).toBe(404);
	});

	test("R11 keeps its source when the trace is moved to where everybody sees it", async () => {
		const url = await upload("followed", { span_ids: [HEX.moving], project: null, allow_wider_access: true }, editor);
		const sourceOf = async () => {
			const { json } = await server.get(`${url}/examples`, by(stranger));
			return json.data.examples[0].source;
		};
		expect(await sourceOf()).toBeNull();
		await succeed(
			"POST",
			"/v1/traces/transfer",
			{ trace_identifiers: [HEX.moving.repeat(2)], destination_project_identifier: "shop", allow_wider_access: true },
			editor,
		);
		const source = await sourceOf();
		expect(source).toMatchObject({ span_id: HEX.moving });
		expect((await server.get("/v1/projects/shop/spans", by(stranger))).text).toContain(source.span_node_id);
	});
});

describe("moving", () => {
	test("takes a dataset with its experiments out of a restricted project, and back", async () => {
		const url = await upload("wanders", { project: "payments" }, editor);
		const { project_name } = await succeed("POST", `${url}/experiments`, { name: "with it" }, editor);
		const refused = await server.call("PATCH", url, { project: "shop" }, by(editor));
		expect(refused.json).toMatchObject({ code: "wider_access" });
		expect(refused.json.detail).toMatch(/payments.*shop/);
		const moved = await succeed("PATCH", url, { project: "shop", allow_wider_access: true }, editor);
		expect(moved.project_id).toBe(encodeGlobalId("Project", shop));
		expect(await statusOf(`/v1/projects/${project_name}`, stranger)).toBe(200);
		expect(await namesOf("/v1/datasets?project=shop", stranger)).toEqual(["wanders"]);
		expect(await namesOf("/v1/datasets?project=library", stranger)).not.toContain("wanders");
		expect(await statusOf("/v1/datasets?project=payments", stranger)).toBe(404);
		expect((await server.call("PATCH", url, { project: "payments" }, by(reader))).json).toMatchObject({
			...{ code: "project_role_needed", needed: "editor", own: "viewer" },
		});
		expect((await server.call("PATCH", url, { project: "payments" }, by(stranger))).status).toBe(404);
		await succeed("PATCH", url, { project: "payments" }, editor);
		expect(await statusOf(url, stranger)).toBe(404);
		expect(await statusOf(`/v1/projects/${project_name}`, stranger)).toBe(404);
	});

	test("leaves a project that was made for an experiment, which stays hidden when only the experiment goes", async () => {
		const url = await upload("short-lived", { project: "payments" }, editor);
		const { id, project_name } = await succeed("POST", `${url}/experiments`, {}, editor);
		const inside = { name: "inside", inputs: [{}], project: project_name };
		expect((await server.call("POST", UPLOAD, inside, by(editor))).json).toMatchObject({ code: "project_of_service" });
		const byRule = await server.signedIn("MEMBER");
		const grants = [
			{ subject: { user: encodeGlobalId("User", byRule.userId) }, role: "viewer" },
			{ subject: { user: encodeGlobalId("User", reader?.userId ?? 0) }, role: "annotator" },
		];
		const rule = await succeed("POST", "/v1/access_rules", { pattern: "pay*", grants }, admin);
		await succeed("DELETE", `/v1/experiments/${id}`, undefined, editor);
		await succeed("DELETE", `/v1/access_rules/${rule.id}`, undefined, admin);
		const ownRole = async (principal: TestPrincipal | undefined) =>
			(await server.get(`/v1/projects/${project_name}?include=access`, by(principal))).json.data?.own_role;
		expect(await statusOf(`/v1/projects/${project_name}`, stranger)).toBe(404);
		const roles = await Promise.all([editor, reader, byRule].map(ownRole));
		expect(roles).toEqual(["editor", "annotator", "viewer"]);
	});

	test("takes prompts along, which are made and found where they are said to be", async () => {
		const make = (prompt: object, principal: TestPrincipal | undefined) =>
			server.call("POST", "/v1/prompts", { prompt, version: VERSION }, by(principal));
		expect((await make({ name: "greets", project: "payments" }, stranger)).status).toBe(404);
		expect((await make({ name: "greets", project: "payments" }, reader)).status).toBe(403);
		const { json } = await make({ name: "greets", project: "payments" }, editor);
		const source = json.data.prompt_id;
		for (const path of ["/v1/prompts/greets", `/v1/prompt_versions/${json.data.id}`, "/v1/prompts/greets/latest"]) {
			expect(await statusOf(path, reader)).toBe(200);
			expect(await statusOf(path, stranger)).toBe(404);
		}
		// Names are unique, so that one is taken can be learnt.
		expect((await make({ name: "greets" }, stranger)).json).toMatchObject({ code: "prompt_exists" });
		expect((await make({ name: "copied", source_prompt_id: source }, stranger)).status).toBe(404);
		expect((await make({ name: "greets", project: null }, editor)).json).toMatchObject({ code: "lives_elsewhere" });
		expect((await make({ name: "cloned", source_prompt_id: source }, editor)).status).toBe(200);
		const cloned = async (principal: TestPrincipal | undefined) =>
			(await server.get("/v1/prompts/cloned", by(principal))).json.data.source_prompt_id;
		expect([await cloned(editor), await cloned(stranger)]).toEqual([source, null]);

		const path = "/v1/prompts/greets";
		expect((await server.call("PATCH", path, { project: null }, by(editor))).json).toMatchObject({
			code: "wider_access",
		});
		await succeed("PATCH", path, { project: null, allow_wider_access: true }, editor);
		expect(await namesOf("/v1/prompts?project=library", stranger)).toContain("greets");
		expect(await cloned(stranger)).toBe(source);
	});

	test("is refused out of a project that was restricted since the request was admitted", async () => {
		const hex = "d".repeat(16);
		await succeed("POST", "/v1/projects", { name: "later" }, admin);
		const span = { name: "step", context: { trace_id: hex.repeat(2), span_id: hex }, span_kind: "LLM", ...TIMES };
		await succeed("POST", "/v1/projects/later/spans", { data: [{ ...span, status_code: "OK" }] }, admin);
		const inside = await upload("inside", { project: "later" }, admin);
		const outside = await upload("outside", {}, admin);
		await succeed("POST", "/v1/prompts", { prompt: { name: "inside", project: "later" }, version: VERSION }, admin);
		const changes = [
			["PATCH", inside, { project: "shop" }],
			["PATCH", "/v1/prompts/inside", { project: "shop" }],
			["POST", `${outside}/examples/from_spans`, { span_ids: [hex] }],
			["POST", UPLOAD, { name: "new", inputs: [{ q: 1 }], span_ids: [hex] }],
		] as const;
		const setAccess = async (transaction: Parameters<typeof noteRightsChange>[0], access: "open" | "restricted") => {
			await transaction.updateTable("projects").set({ access }).where("name", "=", "later").execute();
			await noteRightsChange(transaction);
		};
		const codes: unknown[] = [];
		for (const [method, path, body] of changes) {
			await change((transaction) => setAccess(transaction, "open"));
			// The change was admitted when it waits for the write lock that is held here.
			const restricted = server.context.db.write(async (transaction) => {
				const answer = server.call(method, path, body, by(admin));
				await new Promise((resolve) => setTimeout(resolve, 100));
				await setAccess(transaction, "restricted");
				return { answer };
			});
			codes.push([method, path, (await (await restricted).answer).json.code]);
		}
		expect(codes).toEqual(changes.map(([method, path]) => [method, path, "wider_access"]));

		await change((transaction) => setAccess(transaction, "open"));
		await statusOf("/v1/projects/later", stranger);
		// As another server restricts it, of which this one learns later.
		await server.context.db.write((transaction) => setAccess(transaction, "restricted"));
		const transfer = { trace_identifiers: [hex.repeat(2)], destination_project_identifier: "shop" };
		const refused = await server.call("POST", "/v1/traces/transfer", transfer, by(admin));
		expect(refused.json).toMatchObject({ code: "wider_access" });
	});

	test("R14 lists, their pages and cursors are as if what is hidden did not exist", async () => {
		const urls = ["page-1", "page-2", "page-3"].map((name, position) =>
			upload(name, position === 1 ? { project: "payments" } : {}, editor),
		);
		for (const url of await Promise.all(urls)) await succeed("POST", `${url}/experiments`, {}, editor);
		for (const list of ["/v1/datasets", "/v1/experiments"]) {
			const whole = (await server.get(`${list}?limit=1000`, by(stranger))).json.data;
			const paged: unknown[] = [];
			for (let cursor: string | null = ""; cursor !== null; ) {
				const { json } = await server.get(`${list}?limit=1${cursor && `&cursor=${cursor}`}`, by(stranger));
				expect(json.data).toHaveLength(1);
				paged.push(json.data[0]);
				cursor = json.next_cursor;
			}
			expect(paged).toEqual(whole);
		}
	});
});

test("a project in which something lives is not deleted", async () => {
	await succeed("POST", "/v1/projects", { name: "full" }, admin);
	const url = await upload("keeps", { project: "full" }, admin);
	const { status, json } = await server.call("DELETE", "/v1/projects/full", undefined, by(admin));
	expect(status).toBe(409);
	expect(json).toMatchObject({ code: "project_has_content", datasets: 1, prompts: 0 });
	expect(json.detail).toMatch(/1 dataset and 0 prompts/);
	await succeed("DELETE", url, undefined, admin);
	await succeed("DELETE", "/v1/projects/full", undefined, admin);
});

describe("a limited key", () => {
	/** Headers by a key of the editor that reaches `payments`. */
	async function keyOf(name: string, { library }: { library: boolean }) {
		const { id, key } = await succeed("POST", "/v1/user/api_keys", { data: { name } }, editor);
		const key_id = decodeGlobalId(id, "UserApiKey") ?? 0;
		await change(async (transaction) => {
			const homes = { has_homes: 1, include_library: library ? 1 : 0 } as const;
			await transaction.updateTable("api_keys").set(homes).where("id", "=", key_id).execute();
			await transaction.insertInto("api_key_projects").values({ key_id, project_id: payments }).execute();
		});
		server.context.auth.principals.invalidate();
		return { id, headers: { ...by(undefined), authorization: `Bearer ${key}` } };
	}

	test("makes datasets in its only home; of several, one has to be named", async () => {
		const make = async (name: string, library: boolean, more: object = {}) => {
			const { headers } = await keyOf(name, { library });
			const { status, json } = await server.call("POST", UPLOAD, { name, inputs: [{}], ...more }, headers);
			if (status !== 200) return json.code;
			return (await server.get(`/v1/datasets/${json.data.dataset_id}`, by(editor))).json.data.project_id;
		};
		expect(await make("one", false)).toBe(encodeGlobalId("Project", payments));
		expect(await make("none", false, { project: null })).toBe("project_role_needed");
		expect(await make("several", true)).toBe("home_required");
		expect(await make("said", true, { project: "payments" })).toBe(encodeGlobalId("Project", payments));
		expect(await make("library", true, { project: null })).toBeUndefined();
	});

	test("reaches the projects that are made for the experiments of its home, and no others", async () => {
		const { id, headers } = await keyOf("runs experiments", { library: false });
		const projects = [];
		for (const project of ["payments", "library"]) {
			const url = await upload(`run in ${project}`, { project }, editor);
			projects.push((await succeed("POST", `${url}/experiments`, {}, editor)).project_name);
		}
		const [own, other] = projects;
		expect((await server.get(`/v1/projects/${other}`, headers)).status).toBe(404);
		expect((await server.get(`/v1/projects/${own}`, headers)).status).toBe(200);
		const check = async (project: string) => {
			const url = `/v1/access_check?subject=${encodeURIComponent(`api_key:${id}`)}&project=${project}`;
			return (await server.get(url, by(admin))).json.data;
		};
		expect(await check(own)).toMatchObject({ sees: true, may: { ingest: true } });
		expect(await check(other)).toMatchObject({ sees: false, not: [{ code: "key_homes" }] });
		const span = { traceId: "f".repeat(32), spanId: "f".repeat(16), name: "task" };
		const times = { startTimeUnixNano: "1700000000000000000", endTimeUnixNano: "1700000000100000000" };
		const body = { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: [{ ...span, ...times }] }] }] };
		const sent = await server.call("POST", "/v1/traces", body, { ...headers, "x-project-name": own });
		expect([sent.status, sent.text]).toEqual([200, "{}"]);
	});
});

describe("R13 a restricted library", () => {
	let owner: TestPrincipal;
	beforeAll(async () => {
		owner = await server.signedIn("MEMBER");
		await change(async (transaction) => {
			await transaction.updateTable("access_policy").set({ library_access: "restricted" }).execute();
			const team = await transaction
				.insertInto("teams")
				.values({
					...{ name: "Evaluation", name_key: "evaluation", source: "manual", external_groups: "[]" },
					...{ created_at: 1, updated_at: 1 },
				})
				.returning("id")
				.executeTakeFirstOrThrow();
			const member = { team_id: team.id, user_id: owner.userId, source: "manual", created_at: 1 };
			await transaction.insertInto("team_members").values(member).execute();
			await transaction
				.insertInto("grants")
				.values({ project_id: null, user_id: null, team_id: team.id, role: "editor", created_at: 1 })
				.execute();
		});
	});

	test("is seen by its team alone, whichever way its content is asked for", async () => {
		const url = await upload("owned", { splits: ["test"] }, owner);
		const runs = [
			await succeed("POST", `${url}/experiments`, {}, owner),
			await succeed("POST", `${url}/experiments`, {}, owner),
		];
		const [first, second] = runs.map(({ id }) => id);
		const version = await succeed("POST", "/v1/prompts", { prompt: { name: "owned" }, version: VERSION }, owner);
		const paths = [
			...[url, `${url}/examples`, `${url}/versions`, "/v1/datasets/owned/labels", "/v1/datasets/owned/splits"],
			`${url}/experiments/compare?experiment_id=${first}&experiment_id=${second}`,
			...[`${url}/experiments`, `/v1/experiments?dataset_id=${url.slice("/v1/datasets/".length)}`],
			...["", "/runs", "/tags", "/json", "/csv", "/incomplete-runs"].map((part) => `/v1/experiments/${first}${part}`),
			...["/v1/prompts/owned", "/v1/prompts/owned/versions", `/v1/prompt_versions/${version.id}`],
			...[`/v1/prompt_versions/${version.id}/spans`, `/v1/prompt_versions/${version.id}/tags`],
		];
		for (const path of paths) {
			expect([path, await statusOf(path, owner)]).toEqual([path, 200]);
			expect([path, await statusOf(path, stranger)]).toEqual([path, 404]);
		}
		for (const list of ["/v1/datasets", "/v1/experiments", "/v1/prompts", "/v1/datasets?project=library"])
			expect([list, await namesOf(`${list}${list.includes("?") ? "&" : "?"}limit=1000`, stranger)]).toEqual([list, []]);
		const taken = await server.call("POST", UPLOAD, { name: "owned", inputs: [{}], project: "shop" }, by(stranger));
		expect(taken.json).toMatchObject({ code: "dataset_exists" });
		const appended = { name: "owned", inputs: [{}], action: "append", project: "shop" };
		expect((await server.call("POST", UPLOAD, appended, by(stranger))).json).toMatchObject({ code: "dataset_exists" });
		expect((await server.call("POST", UPLOAD, { name: "mine", inputs: [{}] }, by(stranger))).json).toMatchObject({
			...{ code: "project_role_needed", own: null },
		});
	});

	test("shows the spans of a prompt's version only where they are seen", async () => {
		const version = await succeed("POST", "/v1/prompts", { prompt: { name: "used" }, version: VERSION }, owner);
		for (const [project, id] of [
			["payments", "d".repeat(16)],
			["shop", "e".repeat(16)],
		] as const) {
			const span = { name: project, context: { trace_id: id.repeat(2), span_id: id }, span_kind: "LLM", ...TIMES };
			const attributes = { "spanward.prompt_version.id": version.id };
			const data = [{ ...span, status_code: "OK", attributes }];
			await succeed("POST", `/v1/projects/${project}/spans`, { data }, admin);
		}
		const path = `/v1/prompt_versions/${version.id}/spans`;
		const all = async (principal: TestPrincipal) => {
			const names: string[] = [];
			for (let cursor: string | null = ""; cursor !== null; ) {
				const { json } = await server.get(`${path}?limit=1${cursor && `&cursor=${cursor}`}`, by(principal));
				for (const { name } of json.data) names.push(name);
				cursor = json.next_cursor;
			}
			return names;
		};
		expect(await all(owner)).toEqual(["shop"]);
		await grant(owner, "viewer", payments);
		expect(await all(owner)).toEqual(["payments", "shop"]);
		expect(await statusOf(`${path}?project=payments`, owner)).toBe(200);
		expect(await statusOf(`${path}?project=nothing`, owner)).toBe(404);
	});
});

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteRightsChange } from "#access/rights/change-rights.ts";
import { buildApp } from "#app.ts";
import { openTestApp } from "#test-app.ts";
import { TEST_SECRETS } from "#test-principals.ts";
import { actIn } from "./act-as.ts";

const server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", ...TEST_SECRETS });
afterAll(() => server[Symbol.asyncDispose]());

const version = {
	model_provider: "OPENAI",
	model_name: "m",
	template_type: "CHAT",
	template_format: "MUSTACHE",
	template: { type: "chat", messages: [{ role: "user", content: "hello" }] },
	invocation_parameters: { type: "openai", openai: {} },
};
const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" };
const changes: [method: "POST" | "PATCH" | "DELETE", path: string, body?: object][] = [];

beforeAll(async () => {
	const { headers } = await server.signedIn("MEMBER");
	const made = async (path: string, body: object) => {
		const { status, text, json } = await server.call("POST", path, body, headers);
		if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
		return json.data;
	};
	const { dataset_id: dataset } = await made("/v1/datasets/upload?sync=true", { name: "d", inputs: [{ q: 1 }] });
	const { json } = await server.get(`/v1/datasets/${dataset}/examples`, headers);
	const experiment = (await made(`/v1/datasets/${dataset}/experiments`, {})).id;
	const run = { dataset_example_id: json.data.examples[0].id, output: 1, repetition_number: 1, ...times };
	const evaluation = { name: "e", annotator_kind: "CODE", result: { score: 1 }, ...times };
	const runId = (await made(`/v1/experiments/${experiment}/runs`, { ...run, error: "failed" })).id;
	const promptVersion = (await made("/v1/prompts", { prompt: { name: "p" }, version })).id;
	changes.push(
		["POST", `/v1/datasets/${dataset}/experiments`, {}],
		["PATCH", `/v1/experiments/${experiment}`, { name: "n" }],
		["POST", `/v1/experiments/${experiment}/runs`, run],
		["POST", "/v1/experiment_evaluations", { experiment_run_id: runId, ...evaluation }],
		["POST", `/v1/experiments/${experiment}/tags`, { name: "t" }],
		["DELETE", `/v1/experiments/${experiment}/tags/t`],
		["DELETE", `/v1/experiments/${experiment}`],
		["POST", "/v1/prompts", { prompt: { name: "other" }, version }],
		["POST", "/v1/prompts/p/versions", { version }],
		["PATCH", "/v1/prompts/p", { description: "d" }],
		["POST", `/v1/prompt_versions/${promptVersion}/tags`, { name: "t" }],
		["DELETE", `/v1/prompt_versions/${promptVersion}/tags/t`],
		["DELETE", "/v1/prompts/p"],
	);
});

test("a user who became a viewer while a change waited for its turn does not change anything", async () => {
	const { db } = server.context;
	const statuses: unknown[] = [];
	for (const [method, path, body] of changes) {
		const { headers, userId } = await server.signedIn("MEMBER");
		// The change has passed the access check when it waits for the write lock that is held here.
		const demoted = db.write(async (transaction) => {
			const answer = server.call(method, path, body, headers);
			await new Promise((resolve) => setTimeout(resolve, 100));
			await transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", userId).execute();
			return { answer };
		});
		statuses.push([method, path, (await (await demoted).answer).status]);
	}
	expect(statuses).toEqual(changes.map(([method, path]) => [method, path, 403]));
});

test("who became a viewer after a request was admitted changes no traces, and reads on", async () => {
	const { auth, db } = server.context;
	const { headers, userId } = await server.signedIn("MEMBER");
	const admitted = await auth.principals.authenticate(
		{ headers, rawHeaders: Object.entries(headers).flat() },
		"127.0.0.1",
	);
	if ("refused" in admitted) throw new Error("the session was refused");
	const actors = [
		await actIn(server.context)(admitted.principal, "write", "editor"),
		await actIn(server.context)(admitted.principal, "read", "viewer"),
	];
	await db.write((transaction) =>
		transaction.updateTable("users").set({ role: "VIEWER" }).where("id", "=", userId).execute(),
	);
	const outcomes = actors.map((actor) => actor.changeTraces(async () => "changed"));
	expect(await Promise.allSettled(outcomes)).toMatchObject([
		{ reason: { status: 403, code: "viewer_read_only" } },
		{ value: "changed" },
	]);
});

test("a home that a change enters itself is looked at again before it is committed", async () => {
	const { auth, db, now } = server.context;
	const { headers } = await server.signedIn("MEMBER");
	const admitted = await auth.principals.authenticate(
		{ headers, rawHeaders: Object.entries(headers).flat() },
		"127.0.0.1",
	);
	if ("refused" in admitted) throw new Error("the session was refused");
	const actor = await actIn(server.context)(admitted.principal, "write", "editor");
	const { id } = await db.write(async (transaction) => {
		await noteRightsChange(transaction);
		return await transaction
			.updateTable("projects")
			.set({ access: "restricted" })
			.where("name", "=", "default")
			.returning("id")
			.executeTakeFirstOrThrow();
	});
	const config = { name: "never", definition: "{}", created_at: now(), updated_at: now() };
	const change = actor.change(async (transaction) => {
		actor.enter(id);
		await transaction.insertInto("annotation_configs").values(config).execute();
	});
	await expect(change).rejects.toMatchObject({ status: 404, code: "access_ended" });
	const configs = await db.read.selectFrom("annotation_configs").select("name").execute();
	expect(configs.map(({ name }) => name)).not.toContain("never");
});

test("what was read slowly, of one home or of many, is not answered to who lost some of it meanwhile", async () => {
	const { db } = server.context;
	const [admin, member] = [await server.signedIn("ADMIN"), await server.signedIn("MEMBER")];
	await server.call("POST", "/v1/projects", { name: "slow" }, admin.headers);
	const { id } = await db.read.selectFrom("projects").select("id").where("name", "=", "slow").executeTakeFirstOrThrow();
	const app = await buildApp(server.context);
	let reading = 0;
	app.get("/v1/slow", { config: { access: "read", home: "project" } }, async ({ actor }) => {
		actor.enter(id);
		reading += 1;
		await sleep(1_000);
		return { data: "secret" };
	});
	app.get("/v1/slow_list", { config: { access: "read", home: "project" } }, async () => {
		reading += 1;
		await sleep(1_000);
		return { data: ["secret"] };
	});
	const invited = await server.signedIn("MEMBER");
	const read = ({ headers }: typeof member, url = "/v1/slow") => app.inject({ url, headers });
	const answers = [read(member), read(admin)];
	const lists = [member, invited, admin].map((reader) => read(reader, "/v1/slow_list"));
	await expect.poll(() => reading).toBe(5);
	await db.write(async (transaction) => {
		await noteRightsChange(transaction);
		const grant = { project_id: id, user_id: invited.userId, team_id: null, role: "viewer" as const };
		await transaction
			.insertInto("grants")
			.values({ ...grant, created_at: 0, created_by: null })
			.execute();
		await transaction.updateTable("projects").set({ access: "restricted" }).where("id", "=", id).execute();
	});
	const [lost, kept] = await Promise.all(answers);
	expect(lost?.statusCode).toBe(404);
	expect(lost?.body).not.toContain("secret");
	expect([kept?.statusCode, kept?.json()]).toEqual([200, { data: "secret" }]);
	const [shorter, same, whole] = await Promise.all(lists);
	expect([shorter?.statusCode, shorter?.headers["retry-after"]]).toEqual([503, "1"]);
	expect(shorter?.body).not.toContain("secret");
	expect([same?.statusCode, whole?.statusCode]).toEqual([200, 200]);
	expect((await read(member, "/v1/slow_list")).statusCode).toBe(200);
	await app.close();
});

import { type ModelProvider, startModelProvider } from "@spanward/e2e/peers/model-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";

const KEY = "sk-planted-0123456789";
const PATH = "/v1/model_connections";
const ALLOWED = "SERVICE_OUTGOING_ALLOWED_HOSTS";

let provider: ModelProvider;
let server: TestApp;
let admin: TestPrincipal;
let member: TestPrincipal;
let viewer: TestPrincipal;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", [ALLOWED]: "127.0.0.1" });
	admin = await server.signedIn("ADMIN");
	member = await server.signedIn("MEMBER");
	viewer = await server.signedIn("VIEWER");
});
afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => provider.control({ reset: true, keys: [KEY] }));

const ours = (more: object = {}) => ({
	...{ kind: "openai_compatible", base_url: provider.openai, credentials: { api_key: { value: KEY } } },
	...more,
});

let made = 0;
async function create(more: object = {}, app = server): Promise<string> {
	const headers = app === server ? admin.headers : {};
	const { json, text } = await app.call("POST", PATH, { name: `connection ${made++}`, ...ours(more) }, headers);
	expect(json.data, text).toBeDefined();
	return json.data.id;
}

const testStored = (id: string, body: object = {}, who = admin) =>
	server.call("POST", `${PATH}/${id}/test`, body, who.headers);
const testNew = (body: object) => server.call("POST", `${PATH}/test`, body, admin.headers);

/** `name: outcome` of each step that was taken. */
function taken({ json, text }: Answer): readonly string[] {
	const { steps } = json;
	expect(steps, text).toHaveLength(9);
	return steps
		.filter(({ outcome }: { outcome: string }) => outcome !== "skipped")
		.map(({ name, outcome }: { name: string; outcome: string }) => `${name}: ${outcome}`);
}

function step({ json }: Answer, name: string) {
	return json.steps.find((each: { name: string }) => each.name === name);
}

const LISTED = ["address: ok", "connect: ok", "certificate: ok", "authentication: ok", "model_list: ok"];
const CALLED = [...LISTED, "answer: ok", "stream: ok", "tools: ok", "structured_output: ok"];
const MODEL = "gpt-5-mini";

describe("E01: a test", () => {
	it("of a stored connection is green step by step, calls the model four times with 16 tokens, and is counted", async () => {
		const id = await create();
		const answer = await testStored(id, { model: MODEL });
		expect([answer.status, answer.json.ok, taken(answer)]).toEqual([200, true, CALLED]);
		const calls = await provider.requests({ model: MODEL });
		expect(calls.map(({ json }) => (json as { max_tokens: number }).max_tokens)).toEqual([16, 16, 16, 16]);
		const { json } = await server.get(`${PATH}/${id}/usage`, admin.headers);
		expect(json.data).toMatchObject([{ purpose: "test", model: MODEL, calls: 4 }]);
		expect(answer.text).not.toContain(KEY);
	});

	it("without a model asks nothing that costs", async () => {
		const answer = await testStored(await create());
		expect([answer.json.ok, taken(answer)]).toEqual([true, LISTED]);
		expect(step(answer, "answer")).toMatchObject({ outcome: "skipped", message: "No model was named to try." });
		expect((await provider.requests()).map(({ method }) => method)).toEqual(["GET"]);
	});

	it("before saving stores nothing, and the audit log has who, what and where, without the key", async () => {
		const before = (await server.get(PATH, admin.headers)).json.data.length;
		expect(taken(await testNew(ours({ model: MODEL })))).toEqual(CALLED);
		expect((await server.get(PATH, admin.headers)).json.data).toHaveLength(before);
		const { json, text } = await server.get("/v1/audit_events?limit=1", admin.headers);
		expect(json.data).toMatchObject([
			{
				action: "model_connection.test",
				details: { kind: "openai_compatible", host: `127.0.0.1:${provider.ports.http}`, model: MODEL },
			},
		]);
		expect(text).not.toContain(KEY);
	});

	it("of a wrong key ends there, and does not repeat it", async () => {
		await provider.setModel("/models", { behaviours: ["status-401-echo"] });
		const answer = await testNew(ours({ model: MODEL }));
		expect(answer.json.ok).toBe(false);
		expect(taken(answer)).toEqual([...LISTED.slice(0, 3), "authentication: failed"]);
		expect(step(answer, "authentication").message).toContain("key");
		expect(answer.text).not.toContain(KEY);
		expect(await provider.requests({ model: MODEL })).toEqual([]);
	});

	it.each([
		["http://10.0.0.1:8000/v1", "address", ALLOWED],
		["http://169.254.169.254/v1", "address", ALLOWED],
		["http://127.0.0.1:1/v1", "connect", "In a container, localhost is the container itself"],
		["https://nothing.invalid/v1", "address", "cannot be resolved"],
	])("of %s ends at the step %s", async (base_url, name, message) => {
		const answer = await testNew(ours({ base_url, model: MODEL }));
		expect(answer.json.ok).toBe(false);
		expect(taken(answer).at(-1)).toBe(`${name}: failed`);
		expect(step(answer, name).message).toContain(message);
		expect(step(answer, name).setting).toBe(message === ALLOWED ? ALLOWED : null);
	});

	it("of a certificate that is not trusted names the setting", async () => {
		const base_url = `${provider.tlsUrl("untrusted").replace("localhost", "127.0.0.1")}/v1`;
		expect(step(await testNew(ours({ base_url })), "certificate")).toMatchObject({
			outcome: "failed",
			setting: "SERVICE_OUTGOING_CA_CERT_FILE",
		});
	});

	it("goes on without a list of models, and where the key may not read it", async () => {
		const rest = CALLED.slice(5);
		await provider.setModel("/models", { behaviours: ["status-404"] });
		expect(taken(await testNew(ours({ model: MODEL })))).toEqual([
			...LISTED.slice(0, 3),
			"model_list: warning",
			...rest,
		]);
		await provider.setModel("/models", { behaviours: ["status-403"] });
		expect(taken(await testNew(ours({ model: MODEL })))).toEqual([
			...LISTED.slice(0, 3),
			...["authentication: warning", "model_list: warning"],
			...rest,
		]);
	});

	it("warns of a model that is not listed, or that takes no tools and schemas", async () => {
		const answer = await testNew(ours({ model: "other+refuses-tools+refuses-json_schema" }));
		expect(answer.json.ok).toBe(true);
		expect(taken(answer).slice(4)).toEqual([
			...["model_list: warning", "answer: ok", "stream: ok", "tools: warning", "structured_output: warning"],
		]);
	});

	it.each([
		["status-500", "answer: failed"],
		["html", "answer: failed"],
		["unknown-model", "answer: failed"],
	])("of a model that answers %s ends there", async (behaviour, last) => {
		const answer = await testNew(ours({ model: `x+${behaviour}` }));
		expect([answer.json.ok, taken(answer).at(-1)]).toEqual([false, last]);
		expect(await provider.requests({ model: `x+${behaviour}` })).toHaveLength(1);
	});

	it("tells a stream that is cut", async () => {
		await provider.setModel("x", { answers: [{}, { behaviours: ["cut"] }] });
		expect(taken(await testNew(ours({ model: "x" }))).at(-1)).toBe("stream: failed");
	});

	it("is for admins", async () => {
		const id = await create();
		for (const who of [member, viewer]) expect((await testStored(id, {}, who)).status).toBe(403);
	});

	it("E08: sends no credential of what was made without authentication and is not confirmed", async () => {
		const id = await create();
		const { db } = server.context;
		await db.write((transaction) =>
			transaction.updateTable("model_connections").set({ is_confirmed: 0, is_enabled: 0 }).execute(),
		);
		const answer = await server.call(
			"POST",
			`${PATH}/${id}/test`,
			{},
			{ ...admin.headers, accept: "application/problem+json" },
		);
		expect(answer.json).toMatchObject({ status: 409, code: "connection_unconfirmed" });
		expect((await server.get(`${PATH}/${id}/models`, admin.headers)).json).toEqual({ data: [], problem: null });
		expect(await provider.requests()).toEqual([]);
	});

	it("E21: makes no connection while calls are off", async () => {
		await using off = await openTestApp({ SERVICE_ENABLE_MODEL_CALLS: "false" });
		const answer = await off.call("POST", `${PATH}/test`, ours());
		expect(taken(answer)).toEqual(["address: failed"]);
		expect(step(answer, "address").setting).toBe("SERVICE_ENABLE_MODEL_CALLS");
		const { json } = await off.call("POST", PATH, {
			...{ name: "local", kind: "openai_compatible", base_url: provider.openai, models: ["by-hand"] },
		});
		const models = await off.get(`${PATH}/${json.data.id}/models`);
		expect(models.json.data).toMatchObject([{ name: "by-hand", source: "by_hand" }]);
		expect(await provider.requests()).toEqual([]);
	});
});

describe("the models of a connection", () => {
	const models = async (id: string, who = admin) => (await server.get(`${PATH}/${id}/models`, who.headers)).json;

	it("are those that the provider lists, asked for once, and those that were entered, with prices", async () => {
		await server.call("POST", "/v1/model_prices", { pattern: "own", prices: { input: 2, output: 8 } }, admin.headers);
		await provider.control({ listed: ["own", "gpt-4o-mini", "unheard-of"] });
		const id = await create({ models: ["own", "entered"], default_model: "entered" });
		const expected = {
			data: [
				{ name: "entered", source: "by_hand", price: null },
				{ name: "gpt-4o-mini", source: "provider", price: { input: 0.15, output: 0.6 } },
				{ name: "own", source: "provider", price: { input: 2, output: 8 } },
				{ name: "unheard-of", source: "provider", price: null },
			],
			problem: null,
		};
		expect(await models(id)).toEqual(expected);
		expect(await models(id, member)).toEqual(expected);
		expect(await models(id, viewer)).toEqual(expected);
		expect(await provider.requests()).toHaveLength(1);
	});

	it("are asked for again when the connection was changed", async () => {
		const id = await create();
		await models(id);
		await server.call("PATCH", `${PATH}/${id}`, { max_concurrency: 3 }, admin.headers);
		await models(id);
		expect(await provider.requests()).toHaveLength(2);
	});

	it("a viewer makes no request, nor does a member who may not use the connection", async () => {
		const id = await create({ models: ["entered"], use_by: "admins" });
		for (const who of [viewer, member]) {
			expect((await models(id, who)).data).toMatchObject([{ name: "entered" }]);
		}
		expect(await provider.requests()).toEqual([]);
	});

	it("say why the provider gave no list, without address or key", async () => {
		await provider.setModel("/models", { behaviours: ["status-401-echo"] });
		const id = await create({ models: ["entered"] });
		const { data, problem } = await models(id, member);
		expect(data).toMatchObject([{ name: "entered" }]);
		expect(problem).toMatchObject({ code: "authentication" });
		expect(JSON.stringify(problem)).not.toMatch(/127\.0\.0\.1|sk-planted/);
	});
});

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import type { TestPrincipal } from "#test-principals.ts";
import { ExperimentJobs } from "../experiment-jobs/carry-out.ts";

/** A provider that answers when the test wants. */
const asked: ServerResponse[] = [];
const arrivals: (() => void)[] = [];
const provider = createServer((request, response) => {
	request.resume();
	asked.push(response);
	for (const arrived of arrivals.splice(0)) arrived();
});

let server: TestApp;
let admin: TestPrincipal;
let connection: string;
let serial = 0;
let vault: string;

beforeAll(async () => {
	await once(provider.listen(0, "127.0.0.1"), "listening");
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true", SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" });
	admin = await server.signedIn("ADMIN");
	const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
	connection = (await post("/v1/model_connections", { name: "held", kind: "openai_compatible", base_url })).id;
});
afterAll(async () => {
	await server?.[Symbol.asyncDispose]();
	provider.closeAllConnections();
	provider.close();
});
beforeEach(async () => {
	vault = `vault ${++serial}`;
	await post("/v1/projects", { name: vault });
	const { status } = await server.call("PATCH", `${pathOf(vault)}/access`, { access: "restricted" }, admin.headers);
	expect(status).toBe(200);
});

const pathOf = (project: string) => `/v1/projects/${encodeURIComponent(project)}`;

async function post(url: string, body: object) {
	const { status, json, text } = await server.call("POST", url, body, admin.headers);
	expect(status, text).toBeLessThan(300);
	return json.data;
}

async function remove(url: string): Promise<void> {
	const { status, text } = await server.call("DELETE", url, undefined, admin.headers);
	expect(status, text).toBeLessThan(300);
}

/** The next request of the provider, which waits for its answer. */
async function nextRequest(): Promise<ServerResponse> {
	for (;;) {
		const response = asked.shift();
		if (response !== undefined) return response;
		await new Promise<void>((resolve) => arrivals.push(resolve));
	}
}

function answer(response: ServerResponse, content: string): void {
	const message = { role: "assistant", content };
	const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
	response
		.writeHead(200, { "content-type": "application/json" })
		.end(JSON.stringify({ id: "1", model: "m", choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
}

async function projects(): Promise<string[]> {
	const rows = await server.context.db.read.selectFrom("projects").select("name").orderBy("name").execute();
	return rows.map(({ name }) => name);
}

const run = async (more: object) =>
	await server.call(
		"POST",
		"/v1/playground/runs",
		{ variants: [{ connection_id: connection, model: "m", messages: [{ role: "user", content: "x" }] }], ...more },
		admin.headers,
	);

test("a restricted project that is deleted during a run is not made again, and the answer arrives", async () => {
	const before = await projects();
	const running = run({ source: vault });
	const request = await nextRequest();
	await remove(pathOf(vault));
	answer(request, "forty-two");
	const { status, json } = await running;
	expect([status, json.data[0].output.text]).toEqual([200, "forty-two"]);
	expect(await projects()).toEqual(before.filter((name) => name !== vault));
});

test("another project with the name of one that was deleted gets nothing of it", async () => {
	const running = run({ source: vault });
	const request = await nextRequest();
	await remove(pathOf(vault));
	await post("/v1/projects", { name: `playground of ${vault}` });
	answer(request, "forty-two");
	expect((await running).json.data[0].output.text).toBe("forty-two");
	const { json } = await server.get(`${pathOf(`playground of ${vault}`)}/traces`, admin.headers);
	expect(json.data).toEqual([]);
});

test("a project of an experiment that is deleted with its dataset during a job is not made again", async () => {
	const upload = { action: "create", name: `questions ${serial}`, inputs: [{ q: 1 }], project: vault };
	const uploaded = await server.call("POST", "/v1/datasets/upload?sync=true", upload, admin.headers);
	expect(uploaded.status, uploaded.text).toBe(200);
	const { dataset_id } = uploaded.json.data;
	await using work = new ExperimentJobs(server.context);
	const variants = [{ connection_id: connection, model: "m", messages: [{ role: "user", content: "{{q}}" }] }];
	const { id, experiments } = await post("/v1/experiment_jobs", { kind: "run", dataset_id, variants });
	const request = await nextRequest();
	const experiment = (await server.get(`/v1/experiments/${experiments[0].id}`, admin.headers)).json.data;
	expect(await projects()).toContain(experiment.project_name);
	await remove(`/v1/datasets/${dataset_id}`);
	await expect.poll(projects).not.toContain(experiment.project_name);
	answer(request, "forty-two");
	await expect
		.poll(() => server.context.db.read.selectFrom("experiment_jobs").select("state").execute())
		.toEqual([{ state: "failed" }]);
	await work[Symbol.asyncDispose]();
	expect((await server.get(`/v1/experiment_jobs/${id}`, admin.headers)).status).toBe(404);
	expect(await projects()).not.toContain(experiment.project_name);
	await remove(pathOf(vault));
});

test("a run of an experiment whose project alone is deleted keeps its answer", async () => {
	const upload = { action: "create", name: `questions ${serial}`, inputs: [{ q: 1 }], project: vault };
	const uploaded = await server.call("POST", "/v1/datasets/upload?sync=true", upload, admin.headers);
	await using work = new ExperimentJobs(server.context);
	const variants = [{ connection_id: connection, model: "m", messages: [{ role: "user", content: "{{q}}" }] }];
	const { dataset_id } = uploaded.json.data;
	const { id, experiments } = await post("/v1/experiment_jobs", { kind: "run", dataset_id, variants });
	const request = await nextRequest();
	const { project_name } = (await server.get(`/v1/experiments/${experiments[0].id}`, admin.headers)).json.data;
	await remove(pathOf(project_name));
	answer(request, "forty-two");
	await expect
		.poll(async () => (await server.get(`/v1/experiment_jobs/${id}`, admin.headers)).json.data.state)
		.toBe("done");
	await work[Symbol.asyncDispose]();
	const { json } = await server.get(`/v1/experiments/${experiments[0].id}/runs`, admin.headers);
	expect(json.data).toEqual([expect.objectContaining({ output: { text: "forty-two", finish_reason: "stop" } })]);
	expect(await projects()).not.toContain(project_name);
});

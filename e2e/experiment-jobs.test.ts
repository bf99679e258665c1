import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
	ANSWERS,
	ask,
	connect,
	createDataset,
	createJudge,
	findFaults,
	JOBS,
	jobOf,
	paidUsd,
	rested,
	startJob,
	variant,
} from "./experiment-jobs.ts";
import { type ModelProvider, startModelProvider } from "./peers/model-provider.ts";
import { startServer } from "./server.ts";
import { spanward } from "./spanward-command.ts";

const RUNS = 200;
const KILLS = 5;
const CONCURRENCY = 16;

let provider: ModelProvider;
beforeAll(async () => {
	provider = await startModelProvider();
});
afterAll(() => provider[Symbol.asyncDispose]());

it("E33 kill -9 during a job loses no run, makes none twice, and books whatever was paid", async () => {
	await using server = await startServer({
		authentication: false,
		env: { SERVICE_EVALUATION_CONCURRENCY: String(CONCURRENCY) },
	});
	const connection = await connect(server, provider.openai);
	await createJudge(server, connection, `stand-in-judge+slow-50+${ANSWERS}`);
	const id = await startJob(server, {
		...{ kind: "run", dataset_id: await createDataset(server, "questions", RUNS) },
		...{ variants: [variant(connection, `stand-in-run+slow-50+${ANSWERS}`)], evaluators: [{ evaluator_id: "judge" }] },
	});
	const isBooked = async () => {
		const paid = await paidUsd(provider);
		expect((await jobOf(server, id)).cost_usd).toBeGreaterThanOrEqual(paid - 1e-9);
	};
	for (let kill = 1; kill <= KILLS; kill++) {
		const before = Math.floor((RUNS * kill) / (2 * KILLS));
		await expect.poll(async () => (await jobOf(server, id)).runs.done).toBeGreaterThan(before);
		await isBooked();
		expect((await jobOf(server, id)).state).toBe("running");
		await server.kill();
		await server.start();
		await isBooked();
	}
	const job = await rested(server, id);
	expect(job).toMatchObject({
		state: "done",
		runs: { total: RUNS, done: RUNS, failed: 0 },
		evaluations: { total: RUNS, done: RUNS, failed: 0 },
	});
	expect(await findFaults(server, job, ["judged"])).toEqual([]);
	const { requests } = await provider.counters();
	expect(requests).toBeGreaterThanOrEqual(2 * RUNS);
	expect(requests).toBeLessThanOrEqual(2 * RUNS + KILLS * CONCURRENCY);
	await isBooked();
});

it("SIGTERM gives tasks back at once: none fails, and they are done after the next start", async () => {
	await using server = await startServer({ authentication: false, env: { SERVICE_DRAIN_SECONDS: "0" } });
	const connection = await connect(server, provider.openai);
	const id = await startJob(server, {
		...{ kind: "run", dataset_id: await createDataset(server, "questions", 4) },
		variants: ["quick", "slow-5000"].map((speed) => variant(connection, `stand-in+${speed}+${ANSWERS}`)),
	});
	await expect.poll(async () => (await jobOf(server, id)).runs.done).toBeGreaterThan(0);
	expect(await server.stop()).toBe(0);
	await server.start();
	const job = await rested(server, id);
	expect(job).toMatchObject({ state: "done", runs: { total: 8, done: 8, failed: 0 } });
	expect(job.runs.retried).toBeGreaterThan(0);
	expect(await findFaults(server, job, [])).toEqual([]);
});

it("E39 after a dataset was deleted under its job, verify finds nothing", async () => {
	await using server = await startServer({ authentication: false });
	const connection = await connect(server, provider.openai);
	await createJudge(server, connection, `stand-in-judge+slow-50+${ANSWERS}`);
	const dataset_id = await createDataset(server, "deleted", 40);
	const id = await startJob(server, {
		...{ kind: "run", dataset_id, evaluators: [{ evaluator_id: "judge" }] },
		variants: [variant(connection, `stand-in-run+slow-50+${ANSWERS}`)],
	});
	await expect.poll(async () => (await jobOf(server, id)).runs.done).toBeGreaterThan(0);
	const { ok } = await server.fetch(`/v1/datasets/${dataset_id}`, { method: "DELETE" });
	expect(ok).toBe(true);
	await expect.poll(async () => (await server.fetch(`${JOBS}/${id}`)).status).toBe(404);
	await server.stop();
	const verified = await spanward(["verify"], { env: { SERVICE_WORKING_DIR: server.workingDir } });
	expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("No problems found") });
});

it("E21 with calls of models off jobs wait without a connection being made, and built-in evaluators run", async () => {
	let connections = 0;
	const listener = createServer((socket) => {
		connections += 1;
		socket.destroy();
	}).listen(0, "127.0.0.1");
	await once(listener, "listening");
	const address = listener.address();
	if (address === null || typeof address === "string") throw new Error("it listens to no port");
	await using server = await startServer({ inProcess: true, env: { SERVICE_ENABLE_MODEL_CALLS: "false" } });
	const connection = await connect(server, `http://127.0.0.1:${address.port}/v1`);
	await createJudge(server, connection, "stand-in");
	await ask(server, "POST", "/v1/evaluators", {
		name: "long",
		version: { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["four"] } } },
	});
	const dataset_id = await createDataset(server, "questions", 1);
	const runs = await startJob(server, { kind: "run", dataset_id, variants: [variant(connection, "stand-in")] });
	const isOff = { state: "paused", reason: "calls_off", cost_usd: 0 };
	expect(await rested(server, runs)).toMatchObject({ ...isOff, runs: { done: 0, failed: 0 } });

	const [example] = (await ask(server, "GET", `/v1/datasets/${dataset_id}/examples`)).data.examples;
	const experiment_id = (await ask(server, "POST", `/v1/datasets/${dataset_id}/experiments`, {})).data.id;
	await ask(server, "POST", `/v1/experiments/${experiment_id}/runs`, {
		...{ dataset_example_id: example.id, output: "four", repetition_number: 1 },
		...{ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" },
	});
	const evaluate = (evaluator_id: string) =>
		startJob(server, {
			...{ kind: "evaluate", experiment_id },
			evaluators: [{ evaluator_id, mapping: { output: { path: "output_text" } } }],
		});
	expect(await rested(server, await evaluate("judge"))).toMatchObject({
		...isOff,
		evaluations: { done: 0, failed: 0 },
	});
	expect(await rested(server, await evaluate("long"))).toMatchObject({ state: "done", evaluations: { done: 1 } });
	expect((await ask(server, "GET", `/v1/experiments/${experiment_id}/json`))[0].annotations).toMatchObject([
		{ score: 1 },
	]);
	expect(connections).toBe(0);
	listener.close();
	expect(await ask(server, "DELETE", `${JOBS}/${runs}`)).toBeUndefined();
});

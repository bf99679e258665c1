import { afterAll, beforeAll, expect } from "vitest";
import {
	ANSWERS,
	ask,
	connect,
	createDataset,
	findFaults,
	JOBS,
	jobOf,
	rested,
	startJob,
	variant,
} from "../experiment-jobs.ts";
import { type ModelProvider, startModelProvider } from "../peers/model-provider.ts";
import { HAS_POSTGRES, type Servers, startTwoServers, testOnPostgres as test } from "./servers.ts";

const CONCURRENCY = 8;

let servers: Servers;
let provider: ModelProvider;
let connection: string;
beforeAll(async () => {
	if (!HAS_POSTGRES) return;
	provider = await startModelProvider();
	servers = await startTwoServers({ SERVICE_EVALUATION_CONCURRENCY: String(CONCURRENCY) });
	connection = await connect(servers.one, provider.openai);
});
afterAll(async () => {
	await servers?.[Symbol.asyncDispose]();
	await provider?.[Symbol.asyncDispose]();
});

/** How many servers have tasks under way. */
async function countHolders(): Promise<number> {
	return Number(await servers.sql("select count(distinct holder) from experiment_job_tasks where state = 'running'"));
}

/** Both servers work on the job from here on. */
async function startOnBoth(name: string, runs: number, model: string): Promise<string> {
	const id = await startJob(servers.one, {
		...{ kind: "run", dataset_id: await createDataset(servers.one, name, runs) },
		variants: [variant(connection, `stand-in-${name}+${model}+${ANSWERS}`)],
	});
	await expect.poll(countHolders).toBe(2);
	return id;
}

test("E35 a job is paused and resumed from either of two servers, and both follow", async () => {
	const { one, two } = servers;
	const id = await startOnBoth("paused", 200, "slow-1000");
	await ask(two, "PATCH", `${JOBS}/${id}`, { state: "paused" });
	await expect.poll(countHolders).toBe(0);
	const paused = await jobOf(one, id);
	expect(paused).toMatchObject({ state: "paused", reason: "asked", runs: { failed: 0 } });
	expect(paused.runs.done).toBeLessThan(200);
	expect((await provider.counters()).running).toBe(0);
	await ask(one, "PATCH", `${JOBS}/${id}`, { state: "running" });
	await expect.poll(countHolders).toBe(2);
	await ask(one, "DELETE", `${JOBS}/${id}`);
	await expect.poll(countHolders).toBe(0);
	const { state, runs } = await jobOf(two, id);
	expect(state).toBe("cancelled");
	expect(runs.done + runs.skipped).toBe(200);
});

test("E34 a server that stops gives its tasks back at once, and the other one goes on", async () => {
	const { one, two } = servers;
	const id = await startOnBoth("stopped", 60, "slow-1500");
	expect(await two.stop()).toBe(0);
	expect(await countHolders()).toBeLessThanOrEqual(1);
	const job = await rested(one, id);
	await two.start();
	expect(job).toMatchObject({ state: "done", runs: { total: 60, done: 60, failed: 0 } });
	expect(await findFaults(one, job, [])).toEqual([]);
});

test("E34 the other server takes the tasks of one that was killed, and makes each run once", async () => {
	const { one, two } = servers;
	const before = (await provider.counters()).requests;
	const id = await startOnBoth("killed", 60, "slow-1500");
	await two.kill();
	const job = await rested(one, id);
	expect(job).toMatchObject({ state: "done", runs: { total: 60, done: 60, failed: 0 } });
	expect(job.runs.retried).toBeGreaterThan(0);
	expect(job.runs.retried).toBeLessThanOrEqual(CONCURRENCY);
	expect(await findFaults(one, job, [])).toEqual([]);
	expect((await provider.counters()).requests - before).toBeLessThanOrEqual(60 + CONCURRENCY);
});

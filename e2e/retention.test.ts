import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkIntegrity } from "../apps/server/src/storage/traces/sqlite/check-integrity.ts";
import { startServer, type TestServer } from "./server.ts";

const TRACES = 6_000;
const OLD_SECONDS = 1_600_000_000;

test("a run of a policy that a crash interrupts goes on, and so do the costs that are computed anew", async () => {
	await using server = await startServer({ authentication: false });
	await sendTraces(server, OLD_SECONDS);
	await sendTraces(server, Math.floor(Date.now() / 1_000) - 3_600);
	const policy = (await post(server, "/v1/retention_policies", { name: "short", max_days: 30 })).data;
	await server.fetch("/v1/projects/default/retention", {
		method: "PATCH",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ policy_id: policy.id }),
	});
	await post(server, "/v1/model_prices", { pattern: "house", match: "prefix", prices: { input: 1, output: 2 } });
	const recomputation = (await post(server, "/v1/projects/default/cost_recomputations", {})).data;
	const run = (await post(server, `/v1/retention_policies/${policy.id}/run`, {})).data[0];
	await until(server, async () => (await findRun(server, run.id)).deleted_traces > 0);
	await server.kill();
	await server.start();

	await until(server, async () => (await findRun(server, run.id)).ended_at !== null);
	const ended = await findRun(server, run.id);
	expect(ended).toMatchObject({ error: null });
	// What the last batch before the crash deleted may not be counted yet.
	expect(ended.deleted_traces).toBeLessThanOrEqual(TRACES);
	expect(await json(server, "/v1/projects/default/retention/preview")).toMatchObject({
		data: { deleted_traces: 0, remaining_traces: TRACES },
	});
	const state = async () => (await json(server, `/v1/cost_recomputations/${recomputation.id}`)).data.state;
	await until(server, async () => (await state()) === "done");
	const { data } = await json(server, "/v1/projects/default/spans?limit=1000");
	expect(new Set(data.map((span: { total_cost: number | null }) => span.total_cost))).toEqual(new Set([0.00002]));
	await server.stop();
	expect(checkIntegrity(join(server.workingDir, "spanward.db"))).toEqual([]);
});

async function sendTraces(server: TestServer, seconds: number): Promise<void> {
	for (let sent = 0; sent < TRACES; sent += 1_000) {
		const spans = Array.from({ length: 1_000 }, () => ({
			traceId: randomBytes(16).toString("hex"),
			spanId: randomBytes(8).toString("hex"),
			name: "answer",
			startTimeUnixNano: `${seconds}000000000`,
			endTimeUnixNano: `${seconds}500000000`,
			attributes: [
				{ key: "openinference.span.kind", value: { stringValue: "LLM" } },
				{ key: "llm.model_name", value: { stringValue: "house-model" } },
				{ key: "llm.token_count.prompt", value: { intValue: "10" } },
				{ key: "llm.token_count.completion", value: { intValue: "5" } },
				{ key: "session.id", value: { stringValue: `session ${seconds} ${sent}` } },
			],
		}));
		await post(server, "/v1/traces", { resourceSpans: [{ scopeSpans: [{ spans }] }] });
	}
}

async function findRun(server: TestServer, id: string) {
	const { data } = await json(server, "/v1/retention_runs");
	return data.find((run: { id: string }) => run.id === id);
}

async function until(server: TestServer, isSo: () => Promise<boolean>): Promise<void> {
	await expect.poll(isSo, { timeout: 400_000, message: server.output }).toBe(true);
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function json(server: TestServer, path: string): Promise<any> {
	return await server.getJson(path);
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
async function post(server: TestServer, path: string, body: object): Promise<any> {
	const response = await server.fetch(path, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
	return JSON.parse(text);
}

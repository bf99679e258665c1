import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { freshStorage, testOnPostgres } from "./cluster/servers.ts";
import { createLoad, LOAD_PROJECT } from "./load.ts";
import { type ServerOptions, startServer, type TestServer } from "./server.ts";

test("RV03 a save whose server is killed before it answers makes one review when it is sent again", async () => {
	await saveWhileKilled([1, 6, 15, 40]);
});

testOnPostgres("RV03 the same on PostgreSQL", async () => {
	await using storage = await freshStorage();
	// Another server might be at it: so it takes up to half a minute, which one save shows.
	await saveWhileKilled([6], storage);
});

/** @param killedAfter milliseconds from a save until the server is killed: before, while and after it is stored */
async function saveWhileKilled(killedAfter: readonly number[], storage?: ServerOptions["storage"]): Promise<void> {
	await using server = await startServer({ authentication: false, ...(storage && { storage }) });
	const { queue, question } = await createQueue(server, killedAfter.length);
	for (const milliseconds of killedAfter) {
		const { item } = await post(server, `${queue}/next`);
		const answers = [{ annotation_config_id: question, explanation: `killed after ${milliseconds} ms` }];
		const save = () =>
			post(server, `${queue}/items/${item.id}/review`, { answers }, { "idempotency-key": `save-${milliseconds}` });
		const cut = save().catch(() => undefined);
		await sleep(milliseconds);
		await server.kill();
		await cut;
		await server.start();
		const { id, state, reviews } = await untilTaken(save);
		expect({ id, state, reviews }).toEqual({ id: item.id, state: "done", reviews: [expect.anything()] });
		expect(reviews[0].answers).toEqual([expect.objectContaining(answers[0])]);
	}
	expect(await server.getJson(queue)).toMatchObject({ data: { counts: { done: killedAfter.length, pending: 0 } } });
	const traces = await server.getJson(`/v1/projects/${LOAD_PROJECT}/traces?include=annotations`);
	expect((traces as { data: { annotations: unknown[] }[] }).data.map(({ annotations }) => annotations)).toEqual(
		killedAfter.map(() => [expect.objectContaining({ name: "remark" })]),
	);
}

/** Sends again as long as the answer is that the first request may still be processed. */
async function untilTaken(save: () => ReturnType<typeof post>): ReturnType<typeof post> {
	for (;;) {
		try {
			return await save();
		} catch (error) {
			if (!String(error).includes("answered 409: The first request with this Idempotency-Key")) throw error;
			await sleep(500);
		}
	}
}

/** A queue with so many traces, and the question that it asks of each. */
async function createQueue(
	server: TestServer,
	traces: number,
): Promise<{ readonly queue: string; readonly question: string }> {
	const { body, spanKeys } = createLoad(traces)(0);
	const headers = { "content-type": "application/x-protobuf" };
	expect((await server.fetch("/v1/traces", { method: "POST", headers, body: Buffer.from(body) })).status).toBe(200);
	const { id: question } = await post(server, "/v1/annotation_configs", { name: "remark", type: "FREEFORM" });
	const questions = [{ annotation_config_id: question }];
	const { id } = await post(server, "/v1/review_queues", { name: "killed", target: "trace", questions });
	const queue = `/v1/review_queues/${id}`;
	const traceIds = new Set(spanKeys.map((key) => key.split("/")[0]));
	await post(server, `${queue}/items`, { targets: Array.from(traceIds, (trace_id) => ({ trace_id })) });
	return { queue, question };
}

/** @returns `data` of the answer @throws with the answer when it is none of success */
async function post(server: TestServer, path: string, body: object = {}, headers: Record<string, string> = {}) {
	const json = { "content-type": "application/json", ...headers };
	const response = await server.fetch(path, { method: "POST", headers: json, body: JSON.stringify(body) });
	const text = await response.text();
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
	return JSON.parse(text).data;
}

import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_SECRET, asAdmin, startWithAuth } from "../access/accounts.ts";
import { createLoad, LOAD_PROJECT } from "../load.ts";
import type { TestServer } from "../server.ts";
import { callAtOnce } from "./crowd.ts";

const CALLS = 1_000;
const CALLERS = 25;
/** Of one caller; any more are refused. */
const AT_ONCE = 8;
const EXPORTS = 24;

let server: TestServer;
let keys: readonly string[];

beforeAll(async () => {
	const env = { SERVICE_ENABLE_PROMETHEUS: "true" };
	server = await startWithAuth(env, undefined, { inProcess: false });
	const names = Array.from({ length: CALLERS }, (_, number) => `caller ${number}`);
	keys = await Promise.all(
		names.map(async (name) => (await asAdmin(server).data("POST", "/v1/system/api_keys", { data: { name } })).key),
	);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends so many exports, by four senders. @returns milliseconds that it took */
async function send(makeRequest: ReturnType<typeof createLoad>, from: number): Promise<number> {
	const start = performance.now();
	let next = from;
	const sender = async () => {
		while (next < from + EXPORTS) {
			const { body } = makeRequest(next++);
			const headers = { authorization: `Bearer ${keys[0]}`, "content-type": "application/x-protobuf" };
			const response = await fetch(`${server.url}/v1/traces`, { method: "POST", headers, body: Buffer.from(body) });
			expect([response.status, await response.text()]).toEqual([200, ""]);
		}
	};
	await Promise.all(Array.from({ length: 4 }, sender));
	return performance.now() - start;
}

/** How late the event loop was since this was asked before, in milliseconds, at the 99th percentile. */
async function lateness(): Promise<number> {
	const headers = { authorization: `Bearer ${ADMIN_SECRET}` };
	const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
	const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text) ?? [];
	return Number(seconds) * 1_000;
}

test("AG12 of 1,000 calls at once those over the limits are told when to come again, and the others and exports go on", async () => {
	const makeRequest = createLoad();
	await send(makeRequest, 0);
	const alone = await send(makeRequest, EXPORTS);
	await lateness();
	const [answers, beside] = await Promise.all([
		callAtOnce(server, keys, CALLS, "search_traces", { project: LOAD_PROJECT, limit: 5 }),
		send(makeRequest, 2 * EXPORTS),
	]);
	const late = await lateness();
	// The machine may have had less to do the first time.
	const again = await send(makeRequest, 3 * EXPORTS);
	expect([...answers.statuses.keys()].toSorted()).toEqual([200, 429]);
	expect(answers.statuses.get(200)).toBeGreaterThanOrEqual(CALLERS * AT_ONCE);
	expect(answers.waits.filter((seconds) => seconds >= 1)).toHaveLength(answers.statuses.get(429) ?? 0);
	expect(answers.bodies.filter((body) => !body.includes('"structuredContent"'))).toEqual([]);
	// Ten times what bench/sections/agents-load.ts allows, of what is measured there.
	expect(late).toBeLessThan(1_000);
	expect(beside).toBeLessThan(Math.max(alone, again) * 11);
});

import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { findLosses } from "../../e2e/crash.ts";
import { createLoad, LOAD_PROJECT } from "../../e2e/load.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";
import { readMemory } from "../process-memory.ts";

/** Of JavaScript, in MB. */
const HEAP = 512;
/** Between two requests of 256 spans. */
const PAUSE_MS = 250;
const WARM_UP_MS = 20_000;
const RECOVERY_MS = 60_000;
const AT_ONCE = 8;
const JSON_TYPE = { "content-type": "application/json" };

/** What somebody sends who means harm, made before it is sent; then the status that each request of it was answered with. */
type Bomb = (server: TestServer) => Promise<() => Promise<readonly number[]>>;

/** A small server that receives at a steady rate while each known bomb goes off, one kind after the other. */
export async function measureHostile(): Promise<Figure[]> {
	await using server = await startServer({
		env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` },
		authentication: false,
	});
	const sender = new SteadySender(server);
	await sleep(WARM_UP_MS);
	const before = await readMemory(server.pid);
	const figures: Figure[] = [];
	for (const [name, bomb] of Object.entries(BOMBS)) {
		const send = await bomb(server);
		await sleep(500);
		const health = sampleLatency(`${server.url}/healthz`, 50);
		const answered = countOf(await send());
		// What was taken has to be done, too.
		await sleep(1_000);
		const times = await health.stop();
		figures.push({
			name: `p99 of /healthz during ${name}`,
			value: quantile(times, 0.99),
			unit: "ms",
			target: { atMost: 1_000 },
			detail: `${times.length} requests, longest ${formatNumber(Math.max(...times))} ms; answered ${answered}`,
		});
	}
	await sleep(RECOVERY_MS);
	const after = await readMemory(server.pid);
	const acknowledged = await sender.stop();
	const losses = await findLosses(server, acknowledged);
	for (const line of losses.slice(0, 20)) console.error(line);
	const rate = `with ${HEAP} MB of heap, ${1_000 / PAUSE_MS} requests of 256 spans a second`;
	return [
		...figures,
		{
			name: "memory a minute after all bombs against before",
			value: after - before,
			unit: "MB",
			target: { atMost: 100 },
			detail: `resident: ${formatNumber(before)} MB before, ${formatNumber(after)} MB after; ${rate}`,
		},
		{
			name: "acknowledged spans lost, doubled or miscounted meanwhile",
			value: losses.length,
			unit: "",
			target: { atMost: 0 },
			detail: `${formatNumber(acknowledged.size)} acknowledged spans, traces, sessions and metrics compared`,
		},
	];
}

/** Sends at a steady rate until it is stopped, and knows what was acknowledged. */
class SteadySender {
	readonly #acknowledged = new Set<string>();
	readonly #sending: Promise<void>;
	#isStopped = false;

	constructor(server: TestServer) {
		this.#sending = this.#send(server);
	}

	async stop(): Promise<ReadonlySet<string>> {
		this.#isStopped = true;
		await this.#sending;
		return this.#acknowledged;
	}

	async #send(server: TestServer): Promise<void> {
		const makeRequest = createLoad();
		const headers = { "content-type": "application/x-protobuf" };
		for (let sequence = 0; !this.#isStopped; ) {
			const { body, spanKeys } = makeRequest(sequence);
			const status = await post(server, "/v1/traces", Buffer.from(body), headers);
			// What the server is too busy for, or hung up on, is sent again.
			if (status === 200) {
				for (const key of spanKeys) this.#acknowledged.add(key);
				sequence += 1;
			} else if (status !== 429 && status !== 503 && status !== 0)
				throw new Error(`an export was answered with ${status}`);
			await sleep(PAUSE_MS);
		}
	}
}

const SPANS = `/v1/projects/${LOAD_PROJECT}/spans`;

const BOMBS: Readonly<Record<string, Bomb>> = {
	"forms of empty parts": ofBody(2, "/v1/datasets/upload?sync=true", () => "--x\r\n".repeat(8_000_000), {
		"content-type": "multipart/form-data; boundary=x",
	}),
	"JSON of a million names": ofBody(AT_ONCE, SPANS, () => `{${members(1_000_000)}}`, JSON_TYPE),
	"JSON of as many names and values as are taken": ofBody(
		AT_ONCE,
		SPANS,
		() => `{"data":[{${members(95_000)}},[${"1,".repeat(800_000)}1]]}`,
		JSON_TYPE,
	),
	"JSON for a route that needs little": ofBody(
		AT_ONCE,
		`/v1/projects/${LOAD_PROJECT}`,
		() => `{${members(40_000)}}`,
		JSON_TYPE,
		"PUT",
	),
	"JSON that nests without end": ofBody(
		AT_ONCE,
		SPANS,
		() => "[".repeat(15_000_000) + "]".repeat(15_000_000),
		JSON_TYPE,
	),
	"attributes whose dotted keys repeat a long name": ofBody(
		AT_ONCE,
		SPANS,
		() => {
			const context = { trace_id: randomBytes(16).toString("hex"), span_id: randomBytes(8).toString("hex") };
			const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" };
			const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${index}`, index]));
			const span = { name: "bomb", context, span_kind: "CHAIN", status_code: "OK", ...times };
			return JSON.stringify({ data: [{ ...span, attributes: { ["n".repeat(4_000_000)]: many } }] });
		},
		JSON_TYPE,
	),
	"exports that inflate without end": ofBody(AT_ONCE, "/v1/traces", () => gzipSync(Buffer.alloc(1_000_000_000)), {
		"content-type": "application/x-protobuf",
		"content-encoding": "gzip",
	}),
	"damaged Arrow files": async (server) => {
		const table = await server.fetch(`/v1/projects/${LOAD_PROJECT}/spans.arrow?limit=10`);
		const file = Buffer.from(await table.arrayBuffer()).subarray(0, 4_096);
		return async () => {
			const statuses: number[] = [];
			for (let round = 0; round < 25; round++) {
				const damaged = new Uint8Array(file);
				for (let byte = 0; byte < 8; byte++) damaged[Math.floor(Math.random() * damaged.length)] = Math.random() * 256;
				const form = new FormData();
				form.set("action", "create");
				form.set("name", `damaged ${round}`);
				form.set("file", new Blob([damaged], { type: "application/vnd.apache.arrow.file" }), "damaged.arrow");
				statuses.push(await post(server, "/v1/datasets/upload?sync=true", form, {}));
			}
			return statuses;
		};
	},
	"comparisons of large prompts": async (server) => {
		const ids = await Promise.all(["before", "after"].map((word) => createPrompt(server, word)));
		const path = `/v1/prompt_versions/${ids[1]}/diff?against=${ids[0]}`;
		return () => atOnce(AT_ONCE, async () => drained(await server.fetch(path)));
	},
};

/** The same body so many times at once. */
function ofBody(
	count: number,
	path: string,
	make: () => string | Buffer,
	headers: Record<string, string>,
	method = "POST",
): Bomb {
	return async (server) => {
		const body = Buffer.from(make());
		return () => atOnce(count, () => post(server, path, body, headers, method));
	};
}

/** JSON of about 24 bytes a member. */
function members(count: number): string {
	return Array.from({ length: count }, (_, index) => `"a member ${index}":${index}`).join();
}

async function createPrompt(server: TestServer, word: string): Promise<string> {
	const content = `${word} ${"x\n".repeat(450_000)}`;
	const messages = [1, 2, 3].map(() => ({ role: "user", content }));
	const version = {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		template_type: "CHAT",
		template_format: "NONE",
		template: { type: "chat", messages },
		invocation_parameters: { type: "openai", openai: {} },
	};
	const body = JSON.stringify({ prompt: { name: `bomb-${word}` }, version });
	const response = await server.fetch("/v1/prompts", { method: "POST", headers: JSON_TYPE, body });
	const answer = (await response.json()) as { data?: { id?: string } };
	if (answer.data?.id === undefined) throw new Error(`no prompt was made: ${JSON.stringify(answer).slice(0, 500)}`);
	return answer.data.id;
}

function atOnce(count: number, send: () => Promise<number>): Promise<number[]> {
	return Promise.all(Array.from({ length: count }, send));
}

/**
 * On a connection of its own, which the server may end: nobody else's request is on it.
 * @returns the status; 0 when the server hung up on the request
 */
async function post(
	server: TestServer,
	path: string,
	body: Buffer | FormData,
	headers: Record<string, string>,
	method = "POST",
): Promise<number> {
	const { bytes, type } = Buffer.isBuffer(body) ? { bytes: body, type: null } : await encodeForm(body);
	const length = { "content-length": String(bytes.length) };
	return new Promise((resolve) => {
		const sent = request(
			server.url + path,
			{ method, agent: false, headers: { ...headers, ...length, ...(type ? { "content-type": type } : {}) } },
			(answer) => {
				answer.resume();
				answer.once("close", () => resolve(answer.statusCode ?? 0));
			},
		);
		sent.on("error", () => resolve(0));
		sent.end(bytes);
	});
}

async function encodeForm(form: FormData): Promise<{ bytes: Buffer; type: string | null }> {
	const whole = new Response(form);
	return { bytes: Buffer.from(await whole.arrayBuffer()), type: whole.headers.get("content-type") };
}

async function drained(response: Response): Promise<number> {
	await response.arrayBuffer();
	return response.status;
}

function countOf(statuses: readonly number[]): string {
	const groups = Map.groupBy(statuses, (status) => (status === 0 ? "by hanging up" : `${status}`));
	return [...groups].map(([status, all]) => `${status} (${all.length})`).join(", ");
}

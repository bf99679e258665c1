import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { findLosses } from "../../e2e/crash.ts";
import { createLoad, LOAD_PROJECT } from "../../e2e/load.ts";
import { startServer, type TestServer } from "../../e2e/server.ts";
import { mutate } from "../../packages/otlp/src/testing/mutate.ts";
import { RandomMessages } from "../../packages/otlp/src/testing/random-message.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";
import { sampleLatency } from "../latency.ts";
import { readMemory } from "../process-memory.ts";

/** Of JavaScript, in MB. */
const HEAP = 512;
/** Between two requests of 256 spans. */
const PAUSE_MS = 250;
const WARM_UP_MS = 20_000;
const RECOVERY_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
const AT_ONCE = 8;
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "multipart/form-data; boundary=x" };
const ARROW_TYPE = "application/vnd.apache.arrow.stream";
/** Characters of an answer that are looked at. */
const MAX_TEXT = 500;

/** Status and text of the answer to a request; status 0 when the server hung up on it. */
interface Answer {
	readonly status: number;
	readonly text: string;
}

/** What somebody sends who means harm. */
interface Bomb {
	/**
	 * What each answer is, as its status and text. Any other says that the request was not read as far as it should be, so
	 * that nothing was measured.
	 */
	readonly expected: RegExp;
	/** Makes what is to be sent, and returns what sends it. */
	readonly prepare: (server: TestServer) => Promise<() => Promise<readonly Answer[]>>;
}

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
	const strays: string[] = [];
	for (const [name, { expected, prepare }] of Object.entries(BOMBS)) {
		const send = await prepare(server);
		await sleep(500);
		const health = sampleLatency(`${server.url}/healthz`, 50);
		const answers = await send();
		for (const answer of answers) if (!expected.test(lineOf(answer))) strays.push(`${name}: ${lineOf(answer)}`);
		// What was taken has to be done, too.
		await sleep(1_000);
		const times = await health.stop();
		figures.push({
			name: `p99 of /healthz during ${name}`,
			value: quantile(times, 0.99),
			unit: "ms",
			target: { atMost: 1_000 },
			detail: `${times.length} requests, longest ${formatNumber(Math.max(...times))} ms; answered ${countOf(answers)}`,
		});
	}
	await sleep(RECOVERY_MS);
	const after = await readMemory(server.pid);
	const least = await leastMemory(server.pid);
	const acknowledged = await sender.stop();
	const losses = await findLosses(server, acknowledged);
	for (const line of [...strays, ...losses].slice(0, 20)) console.error(line);
	const rate = `with ${HEAP} MB of heap, ${1_000 / PAUSE_MS} requests of 256 spans a second`;
	return [
		...figures,
		{
			name: "answers that are not those of the bombs' targets",
			value: strays.length,
			unit: "",
			target: { atMost: 0 },
			detail: "each bomb has to be read as far as it is meant to be",
		},
		{
			name: "memory a minute after all bombs against before",
			value: after - before,
			unit: "MB",
			// The live heap is as small as before; of the garbage V8 keeps some until it needs the room.
			target: { atMost: 100 },
			detail: `resident: ${formatNumber(before)} MB before, ${formatNumber(after)} MB after, ${formatNumber(least)} MB at least in the next minute; ${rate}`,
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

/** The least resident memory within a minute: V8 keeps garbage until it needs the room, sometimes 100 MB of it. */
async function leastMemory(pid: number): Promise<number> {
	let least = Number.POSITIVE_INFINITY;
	for (let waited = 0; waited < RECOVERY_MS; waited += LOOK_EVERY_MS) {
		await sleep(LOOK_EVERY_MS);
		least = Math.min(least, await readMemory(pid));
	}
	return least;
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
			const { status } = await post(server, "/v1/traces", Buffer.from(body), headers);
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

/** Not the project of the load, whose totals are compared. */
const SPANS = "/v1/projects/bombs/spans";

const UPLOAD = "/v1/datasets/upload?sync=true";
const FIELD = "Content-Disposition: form-data; name=a";

const BOMBS: Readonly<Record<string, Bomb>> = {
	"forms of empty parts": {
		expected: /^422 .*within its headers/,
		prepare: ofBody(2, UPLOAD, () => "--x\r\n".repeat(8_000_000), FORM_TYPE),
	},
	"forms of empty fields": {
		expected: /^413 .*too many fields/,
		prepare: ofBody(2, UPLOAD, () => `--x\r\n${FIELD}\r\n\r\n\r\n`.repeat(800_000), FORM_TYPE),
	},
	"JSON of a million names": {
		expected: /^422 .*different names/,
		prepare: ofBody(AT_ONCE, SPANS, () => `{${members(1_000_000)}}`, JSON_TYPE),
	},
	"JSON of as many names and values as are taken": {
		expected: /^202 /,
		prepare: ofBodies(
			AT_ONCE,
			SPANS,
			() => spanWith(`{${members(95_000)},"a list":[${"1,".repeat(800_000)}1]}`),
			JSON_TYPE,
		),
	},
	"JSON for a route that needs little": {
		// What it does not need is left out.
		expected: /^200 /,
		prepare: ofBody(AT_ONCE, `/v1/projects/${LOAD_PROJECT}`, () => `{${members(40_000)}}`, JSON_TYPE, "PUT"),
	},
	"JSON that nests without end": {
		expected: /^422 .*nests deeper/,
		prepare: ofBody(AT_ONCE, SPANS, () => "[".repeat(15_000_000) + "]".repeat(15_000_000), JSON_TYPE),
	},
	"attributes whose dotted keys repeat a long name": {
		expected: /^422 .*dotted keys/,
		prepare: ofBody(
			AT_ONCE,
			SPANS,
			() => {
				const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${index}`, index]));
				return spanWith(JSON.stringify({ ["n".repeat(4_000_000)]: many }));
			},
			JSON_TYPE,
		),
	},
	"exports that inflate without end": {
		expected: /^413 /,
		prepare: ofBody(AT_ONCE, "/v1/traces", () => gzipSync(Buffer.alloc(1_000_000_000)), {
			"content-type": "application/x-protobuf",
			"content-encoding": "gzip",
		}),
	},
	"damaged Arrow files": {
		// A file that is damaged where it does not matter is taken.
		expected: /^(200 |422 (Invalid Arrow stream|column|row|input keys not found|The file takes))/,
		prepare: async (server) => {
			const path = `/v1/projects/${LOAD_PROJECT}/spans.arrow?limit=10`;
			const whole = new Uint8Array(await (await server.fetch(path)).arrayBuffer());
			return async () => {
				const answers: Answer[] = [];
				for (let seed = 0; seed < 25; seed++) {
					const form = new FormData();
					form.set("action", "create");
					form.set("name", `damaged ${seed}`);
					form.set("input_keys[]", "name");
					const damaged = mutate(whole, new RandomMessages(seed));
					form.set("file", new Blob([Buffer.from(damaged)], { type: ARROW_TYPE }), "damaged.arrow");
					answers.push(await post(server, UPLOAD, form, {}));
				}
				return answers;
			};
		},
	},
	"comparisons of large prompts": {
		expected: /^200 /,
		prepare: async (server) => {
			const ids = await Promise.all(["before", "after"].map((word) => createPrompt(server, word)));
			const path = `/v1/prompt_versions/${ids[1]}/diff?against=${ids[0]}`;
			return () => atOnce(AT_ONCE, async () => answerOf(await server.fetch(path)));
		},
	},
};

/** The same body so many times at once. */
function ofBody(
	count: number,
	path: string,
	make: () => string | Buffer,
	headers: Record<string, string>,
	method = "POST",
): Bomb["prepare"] {
	return async (server) => {
		const body = Buffer.from(make());
		return () => atOnce(count, () => post(server, path, body, headers, method));
	};
}

/** So many bodies at once. */
function ofBodies(count: number, path: string, make: () => string, headers: Record<string, string>): Bomb["prepare"] {
	return async (server) => {
		const bodies = Array.from({ length: count }, () => Buffer.from(make()));
		return () => Promise.all(bodies.map((body) => post(server, path, body, headers)));
	};
}

/** A body with a span of ids of its own. @param attributes JSON */
function spanWith(attributes: string): string {
	const context = { trace_id: randomBytes(16).toString("hex"), span_id: randomBytes(8).toString("hex") };
	const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" };
	const span = JSON.stringify({ name: "bomb", context, span_kind: "CHAIN", status_code: "OK", ...times });
	return `{"data":[${span.slice(0, -1)},"attributes":${attributes}}]}`;
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

function atOnce(count: number, send: () => Promise<Answer>): Promise<Answer[]> {
	return Promise.all(Array.from({ length: count }, send));
}

/** On a connection of its own, which the server may end: nobody else's request is on it. */
async function post(
	server: TestServer,
	path: string,
	body: Buffer | FormData,
	headers: Record<string, string>,
	method = "POST",
): Promise<Answer> {
	const { bytes, type } = Buffer.isBuffer(body) ? { bytes: body, type: null } : await encodeForm(body);
	const length = { "content-length": String(bytes.length) };
	return new Promise((resolve) => {
		const sent = request(
			server.url + path,
			{ method, agent: false, headers: { ...headers, ...length, ...(type ? { "content-type": type } : {}) } },
			(answer) => {
				let text = "";
				answer.setEncoding("utf8").on("data", (chunk: string) => {
					text = (text + chunk).slice(0, MAX_TEXT);
				});
				answer.once("close", () => resolve({ status: answer.statusCode ?? 0, text }));
			},
		);
		sent.on("error", () => resolve({ status: 0, text: "" }));
		sent.end(bytes);
	});
}

async function encodeForm(form: FormData): Promise<{ bytes: Buffer; type: string | null }> {
	const whole = new Response(form);
	return { bytes: Buffer.from(await whole.arrayBuffer()), type: whole.headers.get("content-type") };
}

async function answerOf(response: Response): Promise<Answer> {
	return { status: response.status, text: (await response.text()).slice(0, MAX_TEXT) };
}

function lineOf({ status, text }: Answer): string {
	return `${status} ${text}`.replaceAll("\n", " ");
}

function countOf(answers: readonly Answer[]): string {
	const groups = Map.groupBy(answers, ({ status }) => (status === 0 ? "by hanging up" : `${status}`));
	return [...groups].map(([status, all]) => `${status} (${all.length})`).join(", ");
}

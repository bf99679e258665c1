import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeTraceRequest, fromPlain, type Span } from "@spanward/otlp";
import { createLoad, LOAD_PROJECT } from "./load.ts";
import { startServer, type TestServer } from "./server.ts";

/** Requests of the load in what is copied, of 256 spans each. */
export const REQUESTS = 6;

export async function temporaryFolder() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-copy-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

export async function send(server: TestServer, path: string, body: object): Promise<unknown> {
	const headers = { "content-type": "application/json" };
	const response = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return response.json();
}

/** @throws when it is refused */
export async function sendProtobuf(server: TestServer, path: string, body: Uint8Array): Promise<void> {
	const headers = { "content-type": "application/x-protobuf" };
	const response = await server.fetch(path, { method: "POST", headers, body: Buffer.from(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

const RANGE = "start_time=1970-01-01T00:00:00Z&end_time=2030-01-01T00:00:00Z";
const PATHS = [
	...["traces?limit=100&", "sessions?", "spans?limit=50&"].map((path) => `load/${path}${RANGE}`),
	"load/metrics?bucket=day&start_time=2026-01-01T00:00:00Z&end_time=2027-01-01T00:00:00Z",
	...["traces?", "spans?", "spans/otlpv1?"].map((path) => `months/${path}${RANGE}`),
];

export async function readAnswers(server: TestServer): Promise<unknown[]> {
	const answers = PATHS.map((path) => server.getJson(`/v1/projects/${path}`));
	return [...(await Promise.all(answers)), await readSpent(server), ...(await readReviews(server))];
}

/** The queues with their items, and the item that is held with its draft. */
async function readReviews(server: TestServer): Promise<unknown[]> {
	const queues = (await server.getJson("/v1/review_queues")) as { readonly data: readonly { readonly id: string }[] };
	const read = async ({ id }: { readonly id: string }) => {
		const held = (await send(server, `/v1/review_queues/${id}/next`, {})) as { readonly data: object };
		// Each time the lease is a new one.
		return [await server.getJson(`/v1/review_queues/${id}/items`), { ...held.data, reserved_until: "" }];
	};
	return [queues, await Promise.all(queues.data.map(read))];
}

/** A queue of two spans: one is reviewed, a draft is kept of the other. */
async function sendReviews(server: TestServer): Promise<void> {
	const asked = { name: "verdict", type: "CATEGORICAL", optimization_direction: "NONE", values: [{ label: "good" }] };
	const idOf = (answer: unknown) => (answer as { readonly data: { readonly id: string } }).data.id;
	const question = { annotation_config_id: idOf(await send(server, "/v1/annotation_configs", asked)) };
	const queue = { name: "second look", target: "span", questions: [{ ...question, note: true }], lease_minutes: 1_440 };
	const path = `/v1/review_queues/${idOf(await send(server, "/v1/review_queues", queue))}`;
	const targets = ["1", "2"].map((id) => ({ span_id: id.repeat(16), project: "months" }));
	await send(server, `${path}/items`, { targets });
	const answers = [{ ...question, label: "good", explanation: "as it should be" }];
	for (const [method, what] of [
		["POST", "review"],
		["PUT", "draft"],
	] as const) {
		const { item } = ((await send(server, `${path}/next`, {})) as { readonly data: { readonly item: { id: string } } })
			.data;
		const response = await server.fetch(`${path}/items/${item.id}/${what}`, {
			...{ method, headers: { "content-type": "application/json" } },
			body: JSON.stringify({ answers }),
		});
		if (!response.ok) throw new Error(`the ${what} was answered with ${response.status}: ${await response.text()}`);
	}
}

/** What was spent, without how long it took to say so. */
async function readSpent(server: TestServer): Promise<unknown> {
	const measures = "measure=tokens_total&measure=cost_total&group_by=user";
	const answer = (await server.getJson(`/v1/projects/load/analytics?of=spend&${measures}&${RANGE}`)) as {
		readonly data: { readonly took_ms: number };
	};
	return { ...answer.data, took_ms: 0 };
}

/** What happens to a server in one of several copies, at three times: each has other ids in each of them. */
export interface Happening {
	before(server: TestServer): Promise<void>;
	/** While the large tables are copied. */
	during(server: TestServer): Promise<void>;
	/** Behind the first round: late spans, an end, deletions, a repeat, a move, annotations, a dataset. */
	after(server: TestServer): Promise<void>;
}

/** @param copy from 0; needs what {@link fill} sends */
export function happeningOf(copy: number): Happening {
	const next = createLoad();
	const first = REQUESTS + copy * 4;
	const sendLoad = (server: TestServer, request: number) => sendProtobuf(server, "/v1/traces", next(request).body);
	const [deleted = "", repeated = "", moved = "", shortened = ""] = next(copy * 2)
		.spanKeys.filter((_, index) => index % 4 === 3)
		.slice(copy, copy + 4);
	const change = async (server: TestServer, method: string, path: string) => {
		const response = await server.fetch(path, { method });
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
	};
	return {
		async before(server) {
			await sendLoad(server, first);
			await sendProtobuf(server, "/v1/traces", longSpan(copy, 0n));
		},
		during: (server) => sendLoad(server, first + 2),
		async after(server) {
			await sendLoad(server, first + 1);
			await sendProtobuf(server, "/v1/traces", longSpan(copy, 1_790_000_009_000_000_000n));
			for (const [traceId] of [deleted, repeated].map((key) => key.split("/")))
				await change(server, "DELETE", `/v1/traces/${traceId}`);
			await sendLoad(server, copy * 2);
			await change(server, "DELETE", `/v1/traces/${deleted.split("/")[0]}`);
			await change(server, "DELETE", `/v1/spans/${shortened.split("/")[1]}`);
			await send(server, "/v1/traces/transfer", {
				trace_identifiers: [moved.split("/")[0]],
				destination_project_identifier: "months",
			});
			const annotated = { name: `behind ${copy}`, annotator_kind: "HUMAN", result: { score: copy } };
			const span_id = moved.split("/")[1];
			await send(server, "/v1/span_annotations?sync=true", { data: [{ span_id, ...annotated }] });
			const example = { inputs: [{ q: `behind ${copy}` }], outputs: [{ a: "" }] };
			await send(server, "/v1/datasets/upload?sync=true", { action: "update", name: "sums", ...example });
		},
	};
}

/** A span that runs until it is sent with an end. */
function longSpan(copy: number, endTimeUnixNano: bigint): Uint8Array {
	const none = { attributes: [], droppedAttributesCount: 0 };
	const span: Span = {
		...{ traceId: `e${copy}`.repeat(16), spanId: `e${copy}`.repeat(8), parentSpanId: "", traceState: "", flags: 0 },
		...{ name: "long", kind: 1, startTimeUnixNano: 1_790_000_000_000_000_000n, endTimeUnixNano, ...none },
		...{ events: [], droppedEventsCount: 0, links: [], droppedLinksCount: 0, status: { code: 0, message: "" } },
	};
	const resource = { ...none, attributes: [{ key: "openinference.project.name", value: fromPlain(LOAD_PROJECT) }] };
	const scope = { name: "long", version: "", ...none };
	return encodeTraceRequest([{ resource, scopeSpans: [{ scope, spans: [span], schemaUrl: "" }], schemaUrl: "" }]);
}

/**
 * A folder with some of everything, one block of two months among it.
 * @param more sends more
 * @returns what its server answers
 */
export async function fill(
	folder: string,
	more: (server: TestServer) => Promise<void> = async () => undefined,
): Promise<unknown[]> {
	const env = { SERVICE_SECRET: "secret-of-copied-data-0123456789-abcdef" };
	await using server = await startServer({ workingDir: folder, authentication: false, env });
	const next = createLoad();
	for (let number = 0; number < REQUESTS; number += 1) {
		await sendProtobuf(server, "/v1/traces", next(number).body);
	}
	const context = (span: string) => ({ trace_id: "c".repeat(32), span_id: span.repeat(16) });
	const span = (id: string, start: string) => ({
		...{ name: `at ${start}`, context: context(id), span_kind: "LLM", status_code: "OK" },
		...{ start_time: start, end_time: "2026-02-01T00:00:09Z", attributes: { "session.id": "turn of the month" } },
	});
	await send(server, "/v1/projects/months/spans", {
		data: [
			span("1", "2026-01-31T23:59:59Z"),
			span("2", "2026-02-01T00:00:01Z"),
			{ ...span("3", "1971-01-01T00:00:00Z"), parent_id: "an id that is not OpenTelemetry's" },
		],
	});
	const annotated = { name: "quality", annotator_kind: "HUMAN", result: { score: 0.1, label: "good" } };
	await send(server, "/v1/span_annotations?sync=true", { data: [{ span_id: "2".repeat(16), ...annotated }] });
	await send(server, "/v1/span_annotations", { data: [{ span_id: "one that did not arrive", ...annotated }] });
	const rows = { inputs: [{ q: "1+1" }, { q: "2+2" }], outputs: [{ a: "2" }, { a: "4" }], splits: ["train", "test"] };
	await send(server, "/v1/datasets/upload?sync=true", { action: "create", name: "sums", ...rows });
	const prompt = { name: "greet" };
	const template = { type: "chat", messages: [{ role: "user", content: "hi" }] };
	const model = {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		invocation_parameters: { type: "openai", openai: {} },
	};
	const version = { ...model, template, template_type: "CHAT", template_format: "NONE" };
	await send(server, "/v1/prompts", { prompt, version });
	const credentials = { api_key: { value: "sk-of-copied-data" } };
	await send(server, "/v1/model_connections", { name: "main", kind: "openai", credentials });
	await sendReviews(server);
	await more(server);
	const answers = await readAnswers(server);
	await server.stop();
	const db = new DatabaseSync(join(folder, "spanward.db"));
	// What span 5 has spent repeats that of another.
	db.exec("update spans set status_message = 'one' || char(0) || 'two', api_key_id = 7 where id = 5");
	// As after rows were deleted: their numbers are not to come again.
	db.exec("update sqlite_sequence set seq = 70 where name = 'datasets'; update row_numbers set next = next + 5");
	db.close();
	return answers;
}

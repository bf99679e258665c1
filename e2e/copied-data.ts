import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createLoad } from "./load.ts";
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
	return await Promise.all(PATHS.map((path) => server.getJson(`/v1/projects/${path}`)));
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
	await using server = await startServer({ workingDir: folder, authentication: false });
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
	await more(server);
	const answers = await readAnswers(server);
	await server.stop();
	const db = new DatabaseSync(join(folder, "spanward.db"));
	db.exec("update spans set status_message = 'one' || char(0) || 'two' where id = 5");
	// As after rows were deleted: their numbers are not to come again.
	db.exec("update sqlite_sequence set seq = 70 where name = 'datasets'; update row_numbers set next = next + 5");
	db.close();
	return answers;
}

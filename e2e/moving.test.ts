import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at, type Json, list } from "./fixture-comparison.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { findSnippet } from "./snippets.ts";

const PAGE = "docs/moving-from-phoenix.md";
const SPAN = { trace_id: "a".repeat(32), span_id: "b".repeat(16) };

const run = promisify(execFile);
let source: TestServer;
let target: TestServer;

beforeAll(async () => {
	[source, target] = await Promise.all([
		startServer({ authentication: false }),
		startServer({ authentication: false }),
	]);
});
afterAll(async () => {
	await source[Symbol.asyncDispose]();
	await target[Symbol.asyncDispose]();
});

test("the Python of the page reads a data frame", async () => {
	const { stdout } = await run(PYTHON, ["-c", findSnippet(PAGE, "python", "SpanQuery", target)]);
	expect(stdout).toContain("llm.model_name");
});

test("the script of the page copies spans, annotations and datasets, also a second time", async () => {
	const times = { start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-01T00:00:01Z" };
	const span = { name: "kept", context: SPAN, span_kind: "LLM", ...times, status_code: "OK" };
	await send("/v1/projects/shop/spans", { data: [span] });
	const annotation = { span_id: SPAN.span_id, name: "quality", annotator_kind: "HUMAN", result: { score: 1 } };
	await send("/v1/span_annotations?sync=true", { data: [annotation] });
	const dataset = { action: "create", name: "sums", inputs: [{ q: "1+1" }], outputs: [{ a: "2" }] };
	await send("/v1/datasets/upload?sync=true", dataset);

	const script = findSnippet(PAGE, "python", "old-server", target).replace("http://old-server:6006", source.url);
	await run(PYTHON, ["-c", script]);
	await run(PYTHON, ["-c", script]);

	const read = async (path: string) => list(at((await target.getJson(path)) as Json, "data"));
	expect((await read("/v1/projects/shop/spans")).map((one) => at(one, "name"))).toEqual(["kept"]);
	const annotations = `/v1/projects/shop/span_annotations?span_ids=${SPAN.span_id}`;
	await expect.poll(async () => (await read(annotations)).map((one) => at(one, "name"))).toEqual(["quality"]);
	const datasets = await read("/v1/datasets");
	expect(datasets.map((one) => [at(one, "name"), at(one, "example_count")])).toEqual([["sums", 1]]);
});

async function send(path: string, body: object): Promise<void> {
	const headers = { "content-type": "application/json" };
	const response = await source.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

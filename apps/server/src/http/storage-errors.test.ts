import { afterAll, beforeAll, expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { createLogTo } from "#base/log.ts";
import { toFailure } from "#storage/clickhouse/failures.ts";
import { ShardUnavailable, StorageUnavailable, type WhyUnavailable } from "#storage/traces/span-batch.ts";
import { failingStore } from "#storage/traces/test-failing-store.ts";
import { openTestApp, type TestApp } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

/** What is answered, and logged, while every read of traces fails with this. */
async function ask(failure: unknown, url: string) {
	const lines: string[] = [];
	const traces = failingStore(server.context.traces, () => failure);
	const log = createLogTo({ write: (line) => void lines.push(line) }, "info");
	const app = await buildApp({ ...server.context, traces, log });
	const answer = await app.inject({ url, headers: { accept: "application/problem+json" } });
	await app.close();
	return { answer, logged: lines.join("") };
}

test.each<[WhyUnavailable, number, string, string | undefined]>([
	["traces_unreachable", 503, "storage_unreachable", "2"],
	["traces_incomplete", 503, "storage_incomplete", "2"],
	["traces_busy", 503, "storage_busy", "5"],
	["traces_behind", 503, "storage_behind", "5"],
	["traces_refused", 503, "storage_refused", "30"],
	["failing", 503, "storage_failing", "5"],
	["read_only", 507, "storage_read_only", undefined],
	["full", 507, "storage_full", undefined],
])("says that the storage is %s, and when to try again", async (reason, status, code, retryAfter) => {
	const failure = new StorageUnavailable(reason, new Error("as this test wants it"));
	for (const url of ["traces", "spans", "sessions", "metrics"]) {
		const { answer } = await ask(failure, `/v1/projects/default/${url}`);
		expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
		expect(answer.headers["retry-after"]).toBe(retryAfter);
	}
});

test("a shard that is away is named by its number", async () => {
	const failure = new ShardUnavailable(3, new Error("there is no answer from clickhouse.example:8123"));
	const { answer } = await ask(failure, "/v1/projects/default/traces");
	expect(answer.json()).toMatchObject({
		status: 503,
		code: "storage_incomplete",
		detail: expect.stringContaining("Shard 3 of the traces"),
	});
	expect(answer.body).not.toContain("clickhouse.example");
});

test.each(["too_slow", "too_large"] as const)("says what to ask instead of what is %s", async (reason) => {
	const { answer } = await ask(new StorageUnavailable(reason, undefined), "/v1/projects/default/spans");
	const detail = expect.stringMatching(/start_time.*filter/);
	expect(answer.json()).toMatchObject({ status: 503, code: "storage_too_slow", detail });
	expect(answer.headers).not.toHaveProperty("retry-after");
});

test("what needs no traces goes on without them", async () => {
	const failure = new StorageUnavailable("traces_unreachable", new Error("as this test wants it"));
	for (const url of ["/v1/datasets", "/v1/prompts", "/v1/annotation_configs", "/healthz"])
		expect((await ask(failure, url)).answer.statusCode).toBe(200);
});

test("a statement that the database refuses for what it says is a bug, of which the log says no data", async () => {
	const text = "Code: 62. DB::Exception: Syntax error: failed at 'planted words'. (SYNTAX_ERROR)";
	const { answer, logged } = await ask(toFailure(62, text, "a-query-id"), "/v1/projects/default/traces");
	expect(answer.json()).toMatchObject({ status: 500, code: "internal_error" });
	expect(logged).toMatch(/62 SYNTAX_ERROR.*a-query-id/);
	expect(answer.body + logged).not.toContain("planted");
});

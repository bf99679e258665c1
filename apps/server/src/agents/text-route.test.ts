import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { connectClient, listening } from "./mcp/test-client.ts";
import { TOOLS } from "./mcp/tools.ts";
import { TEXT_TOOLS } from "./text-schemas.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	const { headers } = await server.signedIn("MEMBER", "key");
	await server.call("POST", "/v1/projects", { name: "shop" }, headers);
	const spans = ["plain", '\'; $(rm) \n"quoted"'].map((user, at) => ({
		...{ name: `run ${at}`, context: { span_id: `${at + 1}`.repeat(16), trace_id: `${at + 1}`.repeat(32) } },
		...{ start_time: `2026-01-02T03:00:0${at}Z`, end_time: "2026-01-02T03:00:09Z", span_kind: "CHAIN" },
		...{ status_code: at === 0 ? "OK" : "ERROR" },
		attributes: { "session.id": "s", "user.id": user, "input.value": `asked by ${user}` },
	}));
	await server.call("POST", "/v1/projects/shop/spans", { data: spans }, headers);
	const examples = { name: "kept", action: "create", inputs: [{ q: "of what?" }], outputs: [{ a: 1 }] };
	await server.call("POST", "/v1/datasets/upload?sync=true", examples, headers);
});
afterAll(() => server[Symbol.asyncDispose]());

async function textOf(tool: string, args: Readonly<Record<string, string>>, headers: Record<string, string>) {
	const url = `/v1/texts/${tool}?${new URLSearchParams(args)}`;
	return await server.app.inject({ method: "GET", url, headers });
}

const TRACE = { project: "shop", trace_id: "2".repeat(32) };
const QUERIES: readonly (readonly [tool: string, args: Readonly<Record<string, string | number | boolean>>])[] = [
	["get_trace", TRACE],
	["get_trace", { ...TRACE, view: "full", max_tokens: 1_000 }],
	["get_span", { ...TRACE, span_id: "2".repeat(16) }],
	["search_traces", { project: "shop", filter: "error_count > 0", words: "asked", sort: "latency_ms", order: "asc" }],
	["search_traces", { project: "shop", errors_only: true, limit: 1 }],
	["search_spans", { project: "shop", sort: "status_code" }],
	["list_sessions", { project: "shop", words: "asked by", sort: "end_time" }],
	["get_session", { project: "shop", session_id: "s" }],
	["get_examples", { dataset: "kept" }],
	["list_experiments", { dataset: "kept" }],
];

test("AG27 the texts for an agent are those of the MCP endpoint, for a person who is logged in", async () => {
	const key = await server.signedIn("VIEWER", "key");
	const session = await server.signedIn("VIEWER");
	await using agent = await connectClient(server, key.headers);
	// Links have the address that was asked.
	const { host } = new URL(await listening(server));
	for (const [tool, args] of QUERIES) {
		const sent = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
		const answer = await textOf(tool, sent, { ...session.headers, host });
		expect([tool, answer.statusCode, answer.body]).toEqual([tool, 200, (await agent.call(tool, args)).text]);
		expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
		expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(16_000);
		expect(answer.body).toMatch(/https?:\/\/\S+\/(p|datasets)\/|Spans|Traces|Sessions|Experiments/);
	}
});

test("what is wrong in a question for a text is named, as over REST", async () => {
	const { headers } = await server.signedIn("VIEWER");
	const asked = async (tool: string, args: Readonly<Record<string, string>>) => {
		const answer = await textOf(tool, args, { ...headers, accept: "application/problem+json" });
		return [answer.statusCode, answer.json()];
	};
	expect(await asked("annotate", TRACE)).toMatchObject([422, {}]);
	expect(await asked("get_trace", { ...TRACE, veiw: "full" })).toMatchObject([
		422,
		{ errors: [{ type: "extra_forbidden", loc: ["query", "veiw"] }] },
	]);
	expect(await asked("get_trace", { ...TRACE, max_tokens: "many" })).toMatchObject([
		422,
		{ errors: [{ loc: ["query", "max_tokens"] }] },
	]);
	expect(await asked("get_trace", { ...TRACE, trace_id: "3".repeat(32) })).toMatchObject([
		404,
		{ code: "trace_not_found" },
	]);
	expect(await asked("search_spans", { project: "shop", filter: "sapn_kind = 'LLM'" })).toMatchObject([
		400,
		{ position: expect.any(Number) },
	]);
});

test("every tool that reads, and no other, has a text", () => {
	expect(TOOLS.filter(({ access }) => access === "read").map(({ name }) => name)).toEqual(TEXT_TOOLS);
});

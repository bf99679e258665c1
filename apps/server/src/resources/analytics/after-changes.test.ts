import { afterAll, expect, test } from "vitest";
import { runRecomputations } from "#resources/prices/run-recomputations.ts";
import { runRetention } from "#resources/retention/run-retention.ts";
import { openTestApp, text } from "#test-app.ts";

// The longest time there is, for machines that are busy.
const server = await openTestApp({ SERVICE_ANALYTICS_TIMEOUT_SECONDS: "60" });
afterAll(() => server[Symbol.asyncDispose]());

const DAY = 86_400;
/** Each has a trace, of which the oldest expire. Each is a partition in ClickHouse, which all statements read. */
const DAYS = 12;
const NOW = Math.floor(Date.now() / 1_000);
const RANGE = `start_time=${NOW - 30 * DAY}&end_time=${NOW + DAY}`;
const MEASURES = ["count", "error_count", "tokens_total", "cost_total", "unique_traces"];
const MODELS = ["house-large", "house-small"];

/** The trace of this number has a root with a user, and a call of each model below it, a day before the former trace. */
function traceOf(number: number): object[] {
	const start = NOW - number * DAY - 60;
	const traceId = String(number).padStart(32, "0");
	const span = (id: number, attributes: object, extra: object = {}) => ({
		...{ traceId, spanId: String(number * 10 + id).padStart(16, "0"), attributes, ...extra },
		...{ startTimeUnixNano: `${start + id}000000000`, endTimeUnixNano: `${start + id + 1}000000000` },
	});
	const root = span(0, { "openinference.span.kind": text("AGENT"), "user.id": text(`user-${number % 3}`) });
	const calls = MODELS.map((model, index) =>
		span(
			index + 1,
			{
				"openinference.span.kind": text("LLM"),
				"llm.model_name": text(model),
				"llm.token_count.prompt": { intValue: String(1_000 * number + index) },
			},
			{ parentSpanId: root.spanId, ...(number % 2 === index ? { status: { code: 2, message: "broke" } } : {}) },
		),
	);
	return [root, ...calls];
}

// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
type Json = any;

/** What a group has: {@link MEASURES}. */
type Sums = Record<string, number>;

async function ask(project: string, groupBy: string, filter = ""): Promise<[source: string, Record<string, Sums>]> {
	const measures = MEASURES.filter((name) => name !== "unique_traces" || groupBy === "user");
	const query = `${RANGE}&group_by=${groupBy}&filter=${encodeURIComponent(filter)}&measure=${measures.join("&measure=")}`;
	const { status, json, text: body } = await server.get(`/v1/projects/${project}/analytics?${query}`);
	expect(status, body).toBe(200);
	const groups = json.data.series.map(({ group, totals }: Json) => [String(group[0].value), totals]);
	return [json.data.source, Object.fromEntries(groups)];
}

/** Adds up what the lists of traces and spans say. */
async function recount(project: string, groupOf: (span: Json, user: string) => string): Promise<Record<string, Sums>> {
	const traces = (await server.get(`/v1/projects/${project}/traces?limit=1000`)).json.data;
	const users = new Map<string, string>(traces.map((trace: Json) => [trace.trace_id, trace.user_id]));
	const groups: Record<string, Sums> = {};
	const seen = new Map<string, Set<string>>();
	for (const span of (await server.get(`/v1/projects/${project}/spans?limit=1000`)).json.data) {
		const trace = span.context.trace_id;
		const group = groupOf(span, users.get(trace) ?? "null");
		groups[group] ??= { count: 0, error_count: 0, tokens_total: 0, cost_total: 0, unique_traces: 0 };
		const sums = groups[group];
		const add = (name: string, amount: number) => {
			sums[name] = (sums[name] ?? 0) + amount;
		};
		add("count", 1);
		add("error_count", span.status_code === "ERROR" ? 1 : 0);
		add("tokens_total", span.token_count_total ?? 0);
		add("cost_total", span.total_cost ?? 0);
		seen.set(group, (seen.get(group) ?? new Set()).add(trace));
		sums["unique_traces"] = seen.get(group)?.size ?? 0;
	}
	return groups;
}

/** Each group with its costs rounded, as sums of fractions depend on their order. */
function rounded(groups: Record<string, Sums>, names: readonly string[]): Record<string, Sums> {
	return Object.fromEntries(
		Object.entries(groups).map(([group, sums]) => [
			group,
			Object.fromEntries(names.map((name) => [name, Number((sums[name] ?? Number.NaN).toFixed(9))])),
		]),
	);
}

async function expectEqualsRecount(project: string, traces: number): Promise<void> {
	const ofTotals = MEASURES.filter((name) => name !== "unique_traces");
	const byModel = rounded(await recount(project, ({ attributes }) => attributes["llm.model_name"] ?? "null"), ofTotals);
	const [source, fromTotals] = await ask(project, "model");
	expect(source).toBe("totals");
	expect(rounded(fromTotals, ofTotals)).toEqual(byModel);
	const [rows, fromRows] = await ask(project, "model", "latency_ms > 0");
	expect(rows).toBe("rows");
	expect(rounded(fromRows, ofTotals)).toEqual(byModel);
	const [, byUser] = await ask(project, "user");
	const users = rounded(await recount(project, (_, user) => user), MEASURES);
	expect(rounded(byUser, MEASURES)).toEqual(users);
	expect(Object.values(users).reduce((sum, { unique_traces = 0 }) => sum + unique_traces, 0)).toBe(traces);
}

test("W15 after deletion, transfer, recomputation and retention every answer equals a recount", async () => {
	await server.call("POST", "/v1/model_prices", { pattern: "house", match: "prefix", prices: { input: 2 } });
	await server.send(Array.from({ length: DAYS }, (_, index) => traceOf(index + 1)).flat() as never, "asked");
	await server.call("POST", "/v1/projects", { name: "other" });
	await expectEqualsRecount("asked", DAYS);

	const id = (number: number) => String(number).padStart(32, "0");
	expect((await server.call("DELETE", `/v1/traces/${id(3)}`)).status).toBe(204);
	const moving = { trace_identifiers: [id(4), id(5)], destination_project_identifier: "other" };
	expect((await server.call("POST", "/v1/traces/transfer", moving)).status).toBe(200);
	await expectEqualsRecount("asked", DAYS - 3);
	await expectEqualsRecount("other", 2);

	await server.call("POST", "/v1/model_prices", { pattern: "house-small", prices: { input: 5 } });
	await using _recomputing = runRecomputations(server.context);
	const asked = await server.call("POST", "/v1/projects/asked/cost_recomputations", {});
	const recomputation = `/v1/cost_recomputations/${asked.json.data.id}`;
	await expect.poll(async () => (await server.get(recomputation)).json.data.state).toBe("done");
	await expectEqualsRecount("asked", DAYS - 3);

	const { json } = await server.call("POST", "/v1/retention_policies", { name: "ten days", max_days: 10 });
	await server.call("PATCH", "/v1/projects/asked/retention", { policy_id: json.data.id });
	await using _expiring = runRetention(server.context);
	expect((await server.call("POST", `/v1/retention_policies/${json.data.id}/run`)).status).toBe(202);
	await expect
		.poll(async () => (await server.get("/v1/projects/asked/traces?limit=1000")).json.data.length)
		.toBeLessThan(DAYS - 3);
	await expect
		.poll(async () => (await server.get(`/v1/retention_runs?policy_id=${json.data.id}`)).json.data[0]?.ended_at)
		.not.toBeNull();
	const left = (await server.get("/v1/projects/asked/traces?limit=1000")).json.data.length;
	expect(left).toBeGreaterThan(0);
	await expectEqualsRecount("asked", left);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
	const id = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
	await server.send(
		[1, 2, 3].map((number) => ({
			traceId: id(number, 32),
			spanId: id(number, 16),
			name: `root ${number}`,
			startTimeUnixNano: `${BigInt(T0 + number) * 1_000_000_000n}`,
			endTimeUnixNano: `${BigInt(T0 + 2 * number) * 1_000_000_000n}`,
			attributes: {
				"openinference.span.kind": text(number === 1 ? "LLM" : "TOOL"),
				"session.id": text(`session ${number}`),
				"input.value": text(`Where is order ${number}?`),
				metadata: text(JSON.stringify({ tier: number === 2 ? "gold" : "silver" })),
			},
			status: { code: number === 3 ? 2 : 1 },
		})),
	);
});
afterAll(() => server[Symbol.asyncDispose]());

async function found(list: string, filter: string, more = ""): Promise<number> {
	const answer = await server.get(`/v1/projects/default/${list}?filter=${encodeURIComponent(filter)}${more}`);
	if (answer.status !== 200) throw new Error(answer.text);
	return Array.isArray(answer.json) ? answer.json.length : (answer.json.data ?? answer.json.resource_spans).length;
}

test.each(["spans", "spans/otlpv1"])("%s are selected by an expression", async (list) => {
	expect(await found(list, "metadata['tier'] == 'gold' or status_code == 'ERROR'")).toBe(2);
	expect(await found(list, "'ORDER 1' in input.value")).toBe(1);
});

test("an expression and the other parameters apply together, and so do two texts", async () => {
	expect(await found("spans", "latency_ms > 1500", "&span_kind=TOOL")).toBe(2);
	expect(await found("spans", "latency_ms > 1500", "&status_code=OK")).toBe(1);
	expect(await found("spans", "where order", "&q=3%3F")).toBe(1);
});

test("spans are exported by an expression", async () => {
	const { text: lines } = await server.get(
		`/v1/projects/default/spans.ndjson?filter=${encodeURIComponent("span_kind == 'tool'")}`,
	);
	expect(lines.trim().split("\n")).toHaveLength(2);
});

test("traces and sessions are selected by an expression", async () => {
	expect(await found("traces", "any(x.span_kind == 'TOOL' for x in spans) and error_count == 0")).toBe(1);
	expect(await found("traces", "order 2")).toBe(1);
	expect(await found("sessions", "'order 3' in first_input")).toBe(1);
	expect(await found("sessions", "num_traces == 1 and duration_ms >= 2000")).toBe(2);
});

test.each(["spans", "spans/otlpv1", "spans.ndjson", "traces", "sessions"])(
	"%s refuse what cannot be read",
	async (list) => {
		const { status, text: message } = await server.get(
			`/v1/projects/default/${list}?filter=${encodeURIComponent("name == 5")}`,
		);
		expect(status).toBe(400);
		expect(message).toMatch(/^Invalid filter: .*\(at character \d+\)/);
	},
);

test("a filter that takes too long on one trace is refused, not waited for", async () => {
	const traceId = "f".repeat(32);
	const spans = Array.from({ length: 1_500 }, (_, index) => ({
		traceId,
		spanId: (index + 100).toString(16).padStart(16, "0"),
		name: "many",
		startTimeUnixNano: `${BigInt(T0) * 1_000_000_000n}`,
		endTimeUnixNano: `${BigInt(T0 + 1) * 1_000_000_000n}`,
		attributes: { "openinference.span.kind": text("CHAIN") },
	}));
	for (let start = 0; start < spans.length; start += 500) await server.send(spans.slice(start, start + 500), "big");
	const filter =
		"any(any(any(x.latency_ms + y.latency_ms + z.latency_ms < 0 for z in spans) for y in spans) for x in spans)";
	const answer = await server.get(`/v1/projects/big/traces?filter=${encodeURIComponent(filter)}`, {
		accept: "application/problem+json",
	});
	expect(answer.status).toBe(400);
	expect(answer.json.code).toBe("filter_too_slow");
});

const LISTS = ["spans", "spans?view=summary", "spans/otlpv1", "spans.ndjson", "spans.arrow"];

test.each(LISTS)("%s warn of what looks like a field but is not", async (list) => {
	const url = (filter: string) =>
		`/v1/projects/default/${list}${list.includes("?") ? "&" : "?"}filter=${encodeURIComponent(filter)}`;
	const read = async (filter: string) => {
		const { status, headers, text } = await server.get(url(filter));
		expect(status, text).toBe(200);
		const inHeader = headers["x-spanward-filter-warnings"];
		if (!list.startsWith("spans.")) return JSON.parse(text).warnings;
		return inHeader === undefined ? undefined : JSON.parse(String(inHeader));
	};
	expect(await read("name != 'a' and sapn_kind == 'LLM'")).toEqual([
		{
			message: "a span has no field sapn_kind; this asks for an attribute of that name",
			position: 16,
			length: 9,
			suggestions: ["span_kind"],
		},
	]);
	expect(await read("span_kind == 'LLM' or tier == 'gold'")).toBeUndefined();
});

test("tables of spans warn too, in a header", async () => {
	const body = { queries: [{ filter: { condition: "coste > 0 or cost > 0" } }] };
	const { status, headers } = await server.call("POST", "/v1/spans?project_name=default", body);
	expect(status).toBe(200);
	expect(JSON.parse(String(headers["x-spanward-filter-warnings"]))).toMatchObject([{ suggestions: ["total_cost"] }]);
});

test.each(["traces", "sessions"])("what %s do not have is refused, not asked for", async (list) => {
	const answer = await server.get(`/v1/projects/default/${list}?filter=${encodeURIComponent("latncy > 5")}`);
	expect(answer.status).toBe(400);
	const good = await server.get(`/v1/projects/default/${list}?filter=${encodeURIComponent("error_count > 5")}`);
	expect(Object.keys(good.json)).toEqual(["data", "next_cursor"]);
});

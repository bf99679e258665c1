import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
	await server.send(spans(), "chat");
});
afterAll(() => server[Symbol.asyncDispose]());

const RANGE = `start_time=${T0}&end_time=${T0 + 3_600}`;
const MODELS = ["a", "a", "a", "b", "b", "c"];

/** Traces with an agent above a call of a model, and an embedding by model a. */
function spans() {
	return MODELS.flatMap((model, number) => {
		const traceId = (number + 1).toString(16).padStart(32, "0");
		const id = (span: number) => `${number + 1}${span}`.padStart(16, "0");
		const start = { startTimeUnixNano: `${T0 + number}000000000`, endTimeUnixNano: `${T0 + number + 1}000000000` };
		const child = { traceId, parentSpanId: id(1), ...start };
		const kind = (name: string) => ({ "openinference.span.kind": text(name) });
		return [
			{
				...{ traceId, spanId: id(1), name: "chat", ...start },
				attributes: {
					...{ ...kind("AGENT"), "user.id": text(`user-${number % 2}`) },
					metadata: text(JSON.stringify({ tenant: `t-${number}`, size: number })),
					"tag.tags": { arrayValue: { values: number === 0 ? [text("vip"), text("new")] : [text("new")] } },
				},
			},
			{
				...{ ...child, spanId: id(2), name: "completion" },
				...(number === 0 ? { status: { code: 2 } } : {}),
				attributes: { ...kind("LLM"), "llm.model_name": text(model), retries: { intValue: String(number % 2) } },
			},
			{
				...{ ...child, spanId: id(3), name: "embed" },
				attributes: { ...kind("EMBEDDING"), "llm.model_name": text("a") },
			},
		];
	});
}

interface Facet {
	readonly field: string;
	readonly values: { value: unknown; label: string; count: number; filter: string | null }[];
	readonly distinct: number;
	readonly is_partial: boolean;
}

async function ask(query: Readonly<Record<string, string | readonly string[]>>): Promise<Facet[]> {
	const search = new URLSearchParams(RANGE);
	for (const [name, value] of Object.entries(query)) for (const each of [value].flat()) search.append(name, each);
	const { status, json, text: body } = await server.get(`/v1/projects/chat/facets?${search}`);
	if (status !== 200) throw new Error(`${search}: ${status} ${body}`);
	return json.data;
}

const countsOf = (facet: Facet | undefined) =>
	Object.fromEntries((facet?.values ?? []).map(({ label, count }) => [label, count]));

describe("W19 what a filter says about a field does not narrow the values of this field", () => {
	it.each([
		"model == 'a' and span_kind == 'LLM'",
		"(model in ['a', 'x'] and not (model is None)) and span_kind == 'LLM'",
		"('A' in model or model == 'y') and 'LLM' == span_kind",
	])("%s", async (filter) => {
		const [model, kind, name] = await ask({ filter, field: ["model", "kind", "name"] });
		expect(countsOf(model)).toEqual({ a: 3, b: 2, c: 1 });
		expect(countsOf(kind)).toEqual({ EMBEDDING: 6, LLM: 3 });
		expect(countsOf(name)).toEqual({ completion: 3 });
	});

	test("but what it says of several fields at once does", async () => {
		const [model] = await ask({ filter: "model == 'a' or name == 'chat'", field: "model" });
		expect(countsOf(model)).toEqual({ a: 9, none: 6 });
	});

	test("nor does one of an attribute or a tag", async () => {
		const filter = "attributes['retries'] == 1 and span_kind == 'LLM'";
		const [retries, model] = await ask({ filter, field: ["attributes['retries']", "model"] });
		expect(countsOf(retries)).toEqual({ 0: 3, 1: 3 });
		expect(countsOf(model)).toEqual({ a: 1, b: 1, c: 1 });
		const [tag] = await ask({ filter: "'vip' in tags", field: "tag" });
		expect(countsOf(tag)).toEqual({ new: 6, vip: 1, none: 12 });
	});
});

test("each value's filter lists as many rows as were counted", async () => {
	for (const of of ["spans", "traces"]) {
		const facets = await ask({ of, field: ["model", "status", "user", "name", "metadata['tenant']", "tag"] });
		expect(facets).toHaveLength(6);
		for (const { filter, count } of facets.flatMap(({ values }) => values)) {
			if (filter === null) continue;
			const list = `/v1/projects/chat/${of}?${RANGE}&limit=1000&filter=${encodeURIComponent(filter)}`;
			expect((await server.get(list)).json.data, `${of} ${filter}`).toHaveLength(count);
		}
	}
});

test("values are found by a part of them, and the rest is counted", async () => {
	const field = "metadata['tenant']";
	const [all] = await ask({ of: "traces", field, limit: "2" });
	expect(all).toMatchObject({ field, distinct: 6, is_partial: false, values: [{ value: "t-0" }, { value: "t-1" }] });
	const [some] = await ask({ of: "traces", field, value_contains: "T-3" });
	expect(some).toMatchObject({ distinct: 1, values: [{ value: "t-3", count: 1 }] });
});

describe("what is misspelt or missing is refused", () => {
	it.each([
		["facets?field=modle", "unknown_group", "model is probably meant"],
		["facets?field=project", "unknown_group", "one project"],
		["facets?field=model&fliter=x", "extra_forbidden", "`filter` is probably meant"],
		["facets", "missing", "Field required"],
		["attribute_keys?fof=spans", "extra_forbidden", "`of` is probably meant"],
	])("%s", async (path, type, meant) => {
		const {
			status,
			json,
			text: body,
		} = await server.get(`/v1/projects/chat/${path}`, {
			accept: "application/problem+json",
		});
		expect(status).toBe(422);
		expect(body).toContain(meant);
		expect(json.errors.map((error: { type: string }) => error.type)).toContain(type);
	});
});

describe("keys of attributes", () => {
	const keysOf = async (query: string) => (await server.get(`/v1/projects/chat/attribute_keys?${query}`)).json;

	test("come with their types, from spans, metadata and annotations, most frequent first", async () => {
		const annotated = await server.call("POST", "/v1/span_annotations?sync=true", {
			data: [{ name: "quality", annotator_kind: "HUMAN", result: { score: 1 }, span_id: "12".padStart(16, "0") }],
		});
		expect(annotated.status).toBe(200);
		const { data, sampled } = await keysOf("");
		expect(sampled).toBe(18);
		expect(data[0]).toEqual({ key: "openinference.span.kind", in: "attributes", types: ["string"], share: 1 });
		expect(data).toContainEqual({ key: "retries", in: "attributes", types: ["number"], share: 6 / 18 });
		expect(data).toContainEqual({ key: "tag.tags", in: "attributes", types: ["list"], share: 6 / 18 });
		expect(data).toContainEqual({ key: "size", in: "metadata", types: ["number"], share: 6 / 18 });
		expect(data).toContainEqual({ key: "quality", in: "annotations", types: ["number"], share: 1 / 18 });
	});

	test("of traces are those of their root spans, and begin with what is asked for", async () => {
		const { data, sampled } = await keysOf("of=traces&prefix=TEN");
		expect([sampled, data]).toEqual([6, [{ key: "tenant", in: "metadata", types: ["string"], share: 1 }]]);
	});

	test("are none where there are no rows", async () => {
		const { data, sampled } = await keysOf("of=sessions");
		expect([sampled, data]).toEqual([0, []]);
	});
});
